#include "sim/telemetry/heartbeat_times.hpp"

#include <algorithm>

namespace gauntlet {

Time HeartbeatTimes::first_sent(HostId host) const {
  if (first_sent_.empty()) first_sent_.assign(world_->inventory.hosts(), kNever);
  Time& first = first_sent_[host.value];
  if (first == kNever) {
    const double phase = uniform_at(seed_, phase_name_, host.value, 0);
    first = kStart + from_seconds(to_seconds(world_->telemetry.heartbeat_period) * phase);
  }
  return first;
}

Time HeartbeatTimes::arrival(HostId host, Time first_sent, std::uint64_t number) const {
  const Telemetry& telemetry = world_->telemetry;
  Time at = sent(first_sent, number);
  if (telemetry.heartbeat_jitter > Duration::zero()) {
    at = after(at, from_seconds(to_seconds(telemetry.heartbeat_jitter) *
                                uniform_at(seed_, jitter_name_, host.value, number)));
  }
  return at;
}

HeartbeatTimes::Beat HeartbeatTimes::first_from(HostId host, Time from) const {
  const Telemetry& telemetry = world_->telemetry;
  const Time first = first_sent(host);
  // Whatever was sent before this arrives before `from`, however late.
  const Duration sent_from = std::max(Duration::zero(), from - after(first, telemetry.heartbeat_jitter));
  auto number = static_cast<std::uint64_t>(sent_from / telemetry.heartbeat_period);
  if (sent_from % telemetry.heartbeat_period > Duration::zero()) ++number;
  Time at = arrival(host, first, number);
  while (at < from) at = arrival(host, first, ++number);
  return {number, at};
}

std::uint64_t HeartbeatTimes::first_number_after(HostId host, Time at) const {
  const Time first = first_sent(host);
  return at < first ? 0 : static_cast<std::uint64_t>((at - first) / world_->telemetry.heartbeat_period + 1);
}

HeartbeatTimes::Beat HeartbeatTimes::first_sent_after(HostId host, Time at) const {
  const std::uint64_t number = first_number_after(host, at);
  return {number, arrival(host, number)};
}

std::optional<Time> HeartbeatTimes::last_arrival_before(HostId host, Time until) const {
  const std::uint64_t number = first_from(host, until).number;
  if (number == 0) return std::nullopt;
  return arrival(host, number - 1);
}

const std::vector<HeartbeatTimes::Phased>& HeartbeatTimes::by_phase() const {
  if (!by_phase_.empty()) return by_phase_;
  for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h)
    by_phase_.push_back({first_sent(HostId{h}) - kStart, HostId{h}});
  std::sort(by_phase_.begin(), by_phase_.end(), [](const Phased& a, const Phased& b) {
    return a.phase != b.phase ? a.phase < b.phase : a.host < b.host;
  });
  return by_phase_;
}

}  // namespace gauntlet
