// One agent as a simulated process: the real Supervisor over simulated streams, ranks and probes.
#pragma once

#include "real/agent/supervisor.hpp"
#include "real/driver/platform.hpp"
#include "tests/driver/simulated_clock.hpp"
#include "tests/driver/simulated_job.hpp"
#include "tests/driver/simulated_network.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

/// What all simulated processes share.
struct SimulatedMachine {
  SimulatedMachine(std::uint64_t seed, const Disturbances& rough)
      : disturbances(rough),
        network(loop, seed, disturbances),
        dice(seed, "machine"),
        clock_dice_(seed, "clocks") {}

  /// Within what an agent's clock may drift (AgentClock::kDriftsOneIn).
  SimulatedClock& clock_of(std::uint32_t host) {
    constexpr std::int64_t kMostDrift = 499'000;  // ns per s
    const auto found = clocks_.find(host);
    if (found != clocks_.end()) return found->second;
    const Duration ahead = clock_dice_.between(std::chrono::seconds(0), std::chrono::hours(1000)) -
                           std::chrono::nanoseconds(EventLoop::kBegan / 2);
    const Duration drift = clock_dice_.between(Duration(0), Duration(2 * kMostDrift));
    return clocks_.emplace(host, SimulatedClock(loop, ahead, drift.count() - kMostDrift)).first->second;
  }

  EventLoop loop;
  Disturbances disturbances;  // those of the present: calm in the end
  SimulatedNetwork network;
  Dice dice;
  /// A signal of an injection reached a rank of that drill.
  std::function<void(const AgentName& agent, std::uint64_t injection)> on_injected = [](auto&&...) {};
  std::map<std::string, std::int64_t> started;  // when each drill began, as agents were told
  /// A driver asks to be obeyed, and said so then.
  std::function<void(const AgentName& agent, std::uint64_t epoch, std::int64_t sent)> on_hello =
      [](auto&&...) {};
  /// An agent obeys that driver from now on.
  std::function<void(const AgentName& agent, const std::string& driver, std::uint64_t epoch)> on_attending =
      [](auto&&...) {};
  /// An agent did something to ranks, on an order that the driver of this epoch sent then.
  std::function<void(const AgentName& agent, std::uint64_t epoch, std::int64_t sent)> on_deed =
      [](auto&&...) {};

 private:
  Dice clock_dice_;
  std::map<std::uint32_t, SimulatedClock> clocks_;
};

class SimulatedAgent final : public StreamEnd,
                             public std::enable_shared_from_this<SimulatedAgent>,
                             private AgentStreams,
                             private ProbeRunner,
                             private Clock {
 public:
  SimulatedAgent(SimulatedMachine& machine, SimulatedJob& job, AgentName name, bool allow_injection);
  ~SimulatedAgent() override = default;

  /// Begins to listen some time later, or ends.
  void begin(bool place_is_taken);
  const AgentName& name() const { return name_; }
  bool alive() const { return state_ != State::dead; }
  bool listens() const { return state_ == State::listens; }
  bool left_socket() const { return left_socket_; }  // it was killed
  const std::string& last_words() const { return last_words_; }
  std::shared_ptr<Connection> connect(const DriverHello& hello, const LinkListener& listener);

  // Signals.
  void terminate();                          // SIGTERM and SIGCONT
  void kill();                               // SIGKILL
  void stop(std::optional<Duration> lasts);  // SIGSTOP, and SIGCONT later

  void hear(FromStream message, Sender sender) override;

 private:
  enum class State : std::uint8_t { starts, listens, ends, dying, dead };
  struct Heard {
    SupervisorMessage what;
    Sender sender{};
  };

  void listen();
  void poke();
  void turn();
  void note(const Heard& heard);
  void check_waits(Time next);
  void check_lease();
  void end(int exit_code);
  void die();
  void say(const std::string& line);

  // AgentStreams
  bool send(StreamId stream, const AgentMessage& message) override;
  void end(StreamId stream, const std::string& why) override;
  // ProbeRunner
  void begin(const ProbeTask& task, std::uint64_t number) override;
  // Clock
  std::int64_t monotonic_ns() const override { return clock_.now(); }

  SimulatedMachine& machine_;
  const AgentName name_;
  SimulatedClock& clock_;  // of its host
  SimulatedRanks ranks_;
  HostSensor host_;    // says nothing
  HostFaults faults_;  // injects nothing
  const bool allow_injection_;
  State state_ = State::starts;
  bool stopped_ = false;
  bool left_socket_ = false;
  bool poked_ = false;
  std::int64_t deadline_ = 0;
  std::optional<Supervisor> supervisor_;
  std::deque<Heard> inbox_;
  std::map<StreamId, std::shared_ptr<Connection>> streams_;
  std::optional<std::uint64_t> injecting_;
  Sender orders_injection_, orders_start_;
  std::int64_t lease_ends_ = 0;  // the last that any driver gave it, by its clock
  std::string last_words_;
};

}  // namespace gauntlet
