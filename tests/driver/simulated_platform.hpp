// The platform of one simulated driver. Whatever blocks runs the event loop meanwhile: the world goes on beside the driver,
// though there is one thread. The driver may die within any call: nothing that it does afterwards has an effect, and it
// is told to stop so that it soon returns.
#pragma once

#include "real/driver/platform.hpp"
#include "tests/driver/simulated_agent.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Agents of all drills, living and dead.
class SimulatedAgents {
 public:
  SimulatedAgents(SimulatedMachine& machine, std::uint64_t seed) : machine_(machine), seed_(seed) {}

  std::shared_ptr<SimulatedAgent> start(const AgentName& name, bool allow_injection);
  /// That which holds the place; null where none does.
  std::shared_ptr<SimulatedAgent> living(const AgentName& name) const;
  /// The newest, which may be dead.
  std::shared_ptr<SimulatedAgent> last(const AgentName& name) const;
  const std::vector<std::shared_ptr<SimulatedAgent>>& all() const { return agents_; }
  SimulatedJob& job(const std::string& directory);

 private:
  SimulatedMachine& machine_;
  std::uint64_t seed_;
  std::vector<std::shared_ptr<SimulatedAgent>> agents_;
  std::map<std::string, std::unique_ptr<SimulatedJob>> jobs_;
};

class SimulatedRepeater;

class SimulatedDriver final : public Platform, private DriverClock, private Transport, private Processes {
 public:
  SimulatedDriver(SimulatedMachine& machine, SimulatedAgents& agents, std::string name)
      : machine_(machine), agents_(agents), name_(std::move(name)) {}

  // Platform
  DriverClock& clock() override { return *this; }
  Transport& transport() override { return *this; }
  Processes& processes() override { return *this; }
  HostSupply& supply() override { return supply_; }
  MeetingPlace meeting_place(const AgentName&) override { return {"simulated", 1}; }
  void say(const std::string& line) override;

  /// SIGKILL, now, or within the call of that number from now on.
  void die();
  void die_in(std::uint64_t calls) { calls_left_ = calls; }
  bool dead();
  /// SIGSTOP for so long.
  void pause(Duration lasts);
  /// Stopped until it is thawed: another driver runs within one of its calls.
  void freeze();
  void thaw();
  /// For DrillOptions::stop.
  std::atomic<bool> stop{false};
  /// At its death, before anything else happens.
  std::function<void()> on_death = [] {};
  /// It has nothing to do, and sleeps until somebody wakes it.
  std::function<void()> on_sleep = [] {};
  /// It was stopped for so long.
  std::function<void(Duration lasts)> on_stopped = [](Duration) {};
  /// Waits as its thread does.
  void block(Duration at_most, const std::function<bool()>& done);

 private:
  friend class SimulatedAlarm;
  friend class SimulatedLink;
  friend class SimulatedHandle;
  friend class SimulatedRepeater;

  /// Every call of the driver passes here. False where the driver is dead.
  bool lives();

  // DriverClock
  std::int64_t monotonic_ns() const override;
  std::unique_ptr<Alarm> alarm() override;
  std::unique_ptr<Repeater> repeat(Duration period, std::function<void()> body) override;
  // Transport
  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                  const LinkListener& listener) override;
  bool listens(const AgentName& agent) const override;
  // Processes
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool allow_injection,
                                     const std::atomic<bool>* stop) override;
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                   const std::atomic<bool>* stop) override;
  std::string last_words(const AgentName& agent) const override;

  SimulatedMachine& machine_;
  SimulatedAgents& agents_;
  const std::string name_;
  bool dead_ = false;
  bool frozen_ = false;
  std::int64_t frozen_since_ = 0;
  std::int64_t died_at_ = 0;
  std::int64_t paused_until_ = 0;
  std::uint64_t calls_left_ = std::numeric_limits<std::uint64_t>::max();
  Duration busy_{};  // so long it has waited for one thing after another, since it slept last
  std::vector<std::weak_ptr<Connection>> streams_;
  HostSupply supply_;
};

}  // namespace gauntlet
