// The clocks that faults arrive by: one runs with the wall time, one while the job trains. Each has a timer for its next fault.
#pragma once

#include "core/random/stream.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class FaultClocks {
 public:
  /// `world` and `engine` must outlive the clocks.
  FaultClocks(const World& world, SimEngine& engine) : world_(&world), engine_(&engine) {}
  void reset(Seed seed);

  /// Training begins: its clock runs.
  void training_runs();
  /// Training halts: its clock stands.
  void training_halts();
  /// Schedules FaultDue for the next fault of this clock.
  void schedule(FaultClock clock);

  Strike take(FaultClock clock) { return arrivals_->take(clock); }
  std::vector<Strike> present_at_start() { return arrivals_->present_at_start(); }
  /// The faults that strike with the next start of the job.
  std::vector<Strike> at_start_of_job() { return arrivals_->at_start_of_job(starts_++); }

  /// The host carries the job, or its components have power, from now on.
  void turn_on(FaultClock clock, HostId host) { arrivals_->turn_on(clock, host, reading(clock)); }
  /// The host no longer carries the job, or its components have no power.
  void turn_off(FaultClock clock, HostId host) { arrivals_->turn_off(clock, host, reading(clock)); }
  /// The component gets a new life. False where its distribution has no memory, so that nothing changes.
  bool renew(const Strike& failed, FaultClock clock) {
    return arrivals_->renew(failed.kind, failed.component.index, reading(clock));
  }
  /// The repair of the host succeeded.
  void cure(HostId host) {
    arrivals_->cure(host, reading(FaultClock::always), reading(FaultClock::training));
  }
  /// Up to now.
  TiltableCounts tiltable() const {
    return arrivals_->tiltable(reading(FaultClock::always), reading(FaultClock::training));
  }
  /// Of a kind, up to now.
  double compensated(FaultKindId kind, FaultClock clock) const {
    return arrivals_->compensated(kind, clock == FaultClock::start ? 0 : reading(clock));
  }

 private:
  static constexpr std::size_t index(FaultClock clock) { return static_cast<std::size_t>(clock); }
  /// The seconds that the clock has run.
  double reading(FaultClock clock) const;

  const World* world_;
  SimEngine* engine_;
  std::optional<FaultArrivals> arrivals_;
  std::array<Timer, 2> due_;    // by clock: the timer of its next fault
  std::array<Time, 2> due_at_;  // by clock: the time that the timer is set to
  bool training_ = false;
  Duration trained_{};  // the clock of training up to `training_since_`
  Time training_since_{};
  std::uint64_t starts_ = 0;  // of the job
};

}  // namespace gauntlet
