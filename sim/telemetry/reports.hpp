// The one way of all reports to the policies. Those of agents (log lines, timings, traffic) take the telemetry's delay, and
// carry the time of the host's own clock. What the driver sees by itself is there at once.
#pragma once

#include "core/random/stream.hpp"
#include "core/saturating.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/outbox.hpp"

#include <cmath>
#include <deque>
#include <optional>
#include <vector>

namespace gauntlet {

class Reports {
 public:
  Reports(const World& world, Seed seed, SimEngine& engine, Outbox& out)
      : telemetry_(&world.telemetry), seed_(seed), engine_(&engine), out_(&out) {}

  /// What a host's clock shows at a time: half of the hosts' clocks are slow, and may show a time before the run.
  Time by_clock_of(HostId host, Time at) const {
    static constexpr StreamName kClock = stream_name("telemetry.clock");
    if (telemetry_->clock_error == Duration::zero()) return at;
    if (host.value >= clock_off_.size()) clock_off_.resize(host.value + 1);
    std::optional<Duration>& off = clock_off_[host.value];
    if (!off) {
      const double share = 2 * uniform_at(seed_, kClock, host.value, 0) - 1;
      const Duration error = from_seconds(std::abs(share) * to_seconds(telemetry_->clock_error));
      off = share < 0 ? -error : error;
    }
    return moved(at, *off);
  }
  /// Sends a report of what a host senses now, which leaves with the time of the host's clock. The rest is to be filled in,
  /// before another is sent.
  Seen& send(HostId host) {
    Seen& seen = telemetry_->delay == Duration::zero() ? out_->add<Seen>(engine_->now()) : depart();
    seen.who = component(host);
    seen.sensed = by_clock_of(host, engine_->now());
    return seen;
  }
  /// Reports what the driver and its launcher see by themselves, at once and by their own clock. The rest is to be filled
  /// in, before another is sent.
  Seen& note(ComponentId who) {
    Seen& seen = out_->add<Seen>(engine_->now());
    seen.who = who;
    seen.sensed = engine_->now();
    return seen;
  }
  void on(const ReportArrives&) {
    for (; !underway_.empty() && underway_.front().arrives == engine_->now(); underway_.pop_front())
      out_->add<Seen>(engine_->now()) = underway_.front().seen;
  }

 private:
  /// All take as long, so that they arrive in order, and those of one instant together.
  Seen& depart() {
    const Time arrives = after(engine_->now(), telemetry_->delay);
    if (underway_.empty() || underway_.back().arrives != arrives)
      engine_->at(arrives, Priority::telemetry, ReportArrives{});
    Underway& report = underway_.emplace_back();
    report.arrives = arrives;
    return report.seen;
  }

  const Telemetry* telemetry_;
  Seed seed_;
  SimEngine* engine_;
  Outbox* out_;
  struct Underway {
    Time arrives;
    Seen seen;
  };
  std::deque<Underway> underway_;
  mutable std::vector<std::optional<Duration>> clock_off_;  // by host, as far as asked for
};

}  // namespace gauntlet
