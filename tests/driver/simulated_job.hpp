// The trainer as a model: ranks that meet, step together at a pace, write checkpoints, wait for each other no longer than
// the collective timeout, and end. What they print is what gauntlet-trainer prints.
#pragma once

#include "real/runner/rank_runner.hpp"
#include "real/trainer/options.hpp"
#include "tests/driver/disturbances.hpp"
#include "tests/driver/event_loop.hpp"
#include "tests/driver/simulated_clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// One rank's process.
struct RankProcess {
  enum class State : std::uint8_t { begins, waits_for_peers, trains, stopped, dead };
  std::uint32_t run = 0;
  const SimulatedClock* clock = nullptr;  // of its host
  TrainerOptions options;
  State state = State::begins;
  State before = State::begins;  // it was stopped
  std::int32_t code = 0;
  std::int64_t gone_at = 0;  // its agent can reap it: the system takes a moment
  bool ordered = false;
  std::vector<std::string> lines;       // printed, and not read by its agent yet
  std::function<void()> something_new;  // its agent's poll() returns
};

/// Parameters of one rank after all steps: replicas agree.
std::uint64_t final_hash_of(std::uint64_t seed, const Layout& layout, std::uint32_t rank, std::int64_t steps);

/// All ranks of all starts of a drill, and the storage that keeps its checkpoints.
class SimulatedJob {
 public:
  SimulatedJob(EventLoop& loop, std::uint64_t seed, const Disturbances& disturbances)
      : loop_(loop), dice_(seed, "job"), disturbances_(disturbances) {}

  void start(const std::shared_ptr<RankProcess>& rank);
  void end(const std::shared_ptr<RankProcess>& rank, std::int32_t code);
  static void stop(RankProcess& rank);                   // SIGSTOP
  void go_on(const std::shared_ptr<RankProcess>& rank);  // SIGCONT
  /// Rank 0 of that run hears it, and the others from it.
  void tell(std::uint32_t run, const DriverTellRanks& message);

  std::size_t alive() const;
  /// Those that train, to strike one.
  std::vector<std::shared_ptr<RankProcess>> living() const;

 private:
  using Ranks = std::vector<std::shared_ptr<RankProcess>>;
  struct Run {
    Ranks ranks;
    std::int64_t step = 0;
    bool trains = false;
    bool stands_still = false;            // a rank is missing in a step
    bool checkpoint = false;              // out of turn, at the next step boundary
    std::optional<std::int64_t> every{};  // as ordered since the start
  };

  void arrive(const std::shared_ptr<RankProcess>& rank);
  void begin(std::uint32_t run);
  void step_later(std::uint32_t run);
  void step(std::uint32_t run);
  void save(std::uint32_t run);
  void finish(std::uint32_t run);
  bool all_train(const Run& run) const;
  void say(RankProcess& rank, const std::string& rest);
  static bool takes_part(const RankProcess& rank) { return rank.state == RankProcess::State::trains; }

  EventLoop& loop_;
  Dice dice_;
  const Disturbances& disturbances_;
  std::map<std::uint32_t, Run> runs_;
  std::int64_t durable_ = 0;
};

/// The ranks of one agent.
class SimulatedRanks final : public RankRunner {
 public:
  SimulatedRanks(EventLoop& loop, SimulatedJob& job, Dice& dice, const Disturbances& disturbances,
                 const SimulatedClock& clock, std::function<void()> something_new)
      : loop_(loop),
        clock_(clock),
        job_(job),
        dice_(dice),
        disturbances_(disturbances),
        something_new_(std::move(something_new)) {}

  std::string start(const DriverStartRanks& start) override;
  void stop() override;
  void kill() override { stop(); }
  void tell(const DriverTellRanks& message) override;
  std::string signal(std::uint32_t rank, AgentSignal signal) override;
  void collect(const Listener& listener) override;
  bool none() const override { return processes_.empty(); }
  std::uint32_t run() const override { return run_; }
  std::vector<std::uint32_t> alive() const override;

  /// Whether one runs, or is stopped: one that ended may not have been heard of.
  bool any_lives() const;
  /// The kernel kills them with their agent.
  void die();
  /// Called with each signal that reached a rank.
  std::function<void(std::uint32_t rank)> on_signal;
  std::function<void()> on_start;

 private:
  EventLoop& loop_;
  const SimulatedClock& clock_;
  SimulatedJob& job_;
  Dice& dice_;
  const Disturbances& disturbances_;
  std::function<void()> something_new_;
  std::vector<std::shared_ptr<RankProcess>> processes_;
  std::uint32_t run_ = 0;
};

}  // namespace gauntlet
