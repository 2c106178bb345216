// Reports of agents on their way to the driver: log lines, timings, traffic. They take the telemetry's delay, and carry
// the time of the host's own clock.
#pragma once

#include "core/random/stream.hpp"
#include "models/world.hpp"
#include "sim/event.hpp"
#include "sim/outbox.hpp"

#include <deque>

namespace gauntlet {

class Reports {
 public:
  Reports(const World& world, Seed seed, SimEngine& engine, Outbox& out)
      : telemetry_(&world.telemetry), seed_(seed), engine_(&engine), out_(&out) {}

  /// What a host's clock shows at a time.
  Time by_clock_of(HostId host, Time at) const {
    static constexpr StreamName kClock = stream_name("telemetry.clock");
    if (telemetry_->clock_error == Duration::zero()) return at;
    const double off = 2 * uniform_at(seed_, kClock, host.value, 0) - 1;
    return at + from_seconds(off * to_seconds(telemetry_->clock_error));
  }
  /// `seen.sensed` is the true time; it leaves as the host's clock had it.
  void send(Seen seen) {
    if (seen.who.kind == ComponentKind::host) seen.sensed = by_clock_of(host_of(seen.who), seen.sensed);
    if (telemetry_->delay == Duration::zero()) return out_->push(engine_->now(), seen);
    // All take as long, so that they arrive in order, and those of one instant together.
    const Time arrives = engine_->now() + telemetry_->delay;
    if (underway_.empty() || underway_.back().arrives != arrives)
      engine_->at(arrives, Priority::telemetry, ReportArrives{});
    underway_.push_back({arrives, seen});
  }
  void on(const ReportArrives&) {
    for (; !underway_.empty() && underway_.front().arrives == engine_->now(); underway_.pop_front())
      out_->push(engine_->now(), underway_.front().seen);
  }

 private:
  const Telemetry* telemetry_;
  Seed seed_;
  SimEngine* engine_;
  Outbox* out_;
  struct Underway {
    Time arrives;
    Seen seen;
  };
  std::deque<Underway> underway_;
};

}  // namespace gauntlet
