// When heartbeats are sent and arrive, if nothing loses them.
//
// Host h sends heartbeat n at phase(h) + n * period; it arrives up to `heartbeat_jitter` later, the lateness keyed by (h, n).
#pragma once

#include "core/random/stream.hpp"
#include "core/saturating.hpp"
#include "models/world/world.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class HeartbeatTimes {
 public:
  struct Beat {
    std::uint64_t number;
    Time arrival;
  };

  /// `world` must outlive it.
  HeartbeatTimes(const World& world, Seed seed)
      : world_(&world),
        seed_(seed),
        phase_name_(stream_name("heartbeat.phase")),
        jitter_name_(stream_name("heartbeat.jitter")),
        first_sent_(world.inventory.hosts(), kNever) {}

  Time first_sent(HostId host) const {
    Time& first = first_sent_[host.value];
    if (first == kNever) first = draw_first_sent(host);
    return first;
  }
  Time sent(HostId host, std::uint64_t number) const { return sent(first_sent(host), number); }
  Time arrival(HostId host, std::uint64_t number) const { return arrival(host, first_sent(host), number); }
  /// The first heartbeat that arrives at or after `from`, and the first that is sent after `at`.
  Beat first_from(HostId host, Time from) const;
  Beat first_sent_after(HostId host, Time at) const;
  std::uint64_t first_number_after(HostId host, Time at) const;
  /// When an exit is heard of: with the next heartbeat, or by itself where that is sooner.
  Time exit_arrival(HostId host, Time exit) const {
    return std::min(first_sent_after(host, exit).arrival, exit_alone(exit));
  }
  Time exit_alone(Time exit) const { return after(exit, world_->telemetry.exit_delay); }
  std::optional<Time> last_arrival_before(HostId host, Time until) const;
  /// Every host, with the first time from `from` on at which it sends, in the order of these times, until `act` says false.
  template <class Act>
  void in_order(Time from, const Act& act) const;

 private:
  struct Phased {
    Duration phase{};
    HostId host;
  };
  /// All hosts, in the order of their phases.
  const std::vector<Phased>& by_phase() const;
  Time sent(Time first_sent, std::uint64_t number) const {
    return after(first_sent, times(static_cast<std::int64_t>(number), world_->telemetry.heartbeat_period));
  }
  Time arrival(HostId host, Time first_sent, std::uint64_t number) const;
  Time draw_first_sent(HostId host) const;

  const World* world_;
  Seed seed_;
  StreamName phase_name_, jitter_name_;
  mutable std::vector<Time> first_sent_;  // by host; kNever where it was not asked for
  mutable std::vector<Phased> by_phase_;  // made when first asked for
};

template <class Act>
void HeartbeatTimes::in_order(Time from, const Act& act) const {
  const std::vector<Phased>& hosts = by_phase();
  const Duration period = world_->telemetry.heartbeat_period;
  const Duration turn = (from - kStart) % period;
  const auto next = std::lower_bound(hosts.begin(), hosts.end(), turn,
                                     [](const Phased& each, Duration phase) { return each.phase < phase; });
  const auto go_through = [&act](auto each, auto end, Time period_begins) {
    while (each != end && act(each->host, after(period_begins, each->phase))) ++each;
    return each == end;
  };
  if (go_through(next, hosts.end(), from - turn)) go_through(hosts.begin(), next, after(from - turn, period));
}

}  // namespace gauntlet
