#include "sim/telemetry/heartbeat_times.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gauntlet {

Time HeartbeatTimes::draw_first_sent(HostId host) const {
  const double phase = uniform_at(seed_, phase_name_, host.value, 0);
  return kStart + from_seconds(to_seconds(world_->telemetry.heartbeat_period) * phase);
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
  // Phases are uniform over the period: of as many parts of it as there are hosts, each has about one.
  struct Placed {
    Duration phase;
    std::uint32_t part;
  };
  const std::uint32_t hosts = world_->inventory.hosts();
  const double parts = hosts / to_seconds(world_->telemetry.heartbeat_period);
  std::vector<Placed> placed(hosts);
  std::vector<std::uint32_t> next(hosts + 1, 0);  // by part: where its next host goes
  for (std::uint32_t h = 0; h < hosts; ++h) {
    const Duration phase = first_sent(HostId{h}) - kStart;
    placed[h] = {phase, std::min(static_cast<std::uint32_t>(to_seconds(phase) * parts), hosts - 1)};
    ++next[placed[h].part + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Phased> ordered(hosts);
  for (std::uint32_t h = 0; h < hosts; ++h) ordered[next[placed[h].part]++] = {placed[h].phase, HostId{h}};
  // Whoever shares a part is in the order of numbers so far.
  for (std::uint32_t i = 1; i < hosts; ++i)
    for (std::uint32_t j = i; j > 0 && ordered[j].phase < ordered[j - 1].phase; --j)
      std::swap(ordered[j], ordered[j - 1]);
  by_phase_ = std::move(ordered);
  return by_phase_;
}

}  // namespace gauntlet
