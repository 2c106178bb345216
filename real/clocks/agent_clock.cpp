#include "real/clocks/agent_clock.hpp"

#include <algorithm>
#include <limits>

namespace gauntlet {
namespace {

constexpr std::int64_t kLatest = std::int64_t{1} << 61;  // 73 years after a boot: sums of three still fit

bool is_time(std::int64_t ns) { return ns >= 0 && ns <= kLatest; }

/// What two clocks drift apart at most in that time, rounded up.
std::int64_t drift(std::int64_t from_ns, std::int64_t to_ns) {
  const std::int64_t passed = from_ns < to_ns ? to_ns - from_ns : from_ns - to_ns;
  return passed == 0 ? 0 : passed / AgentClock::kDriftsOneIn + 1;
}

}  // namespace

bool AgentClock::add(const ClockExchange& exchange) {
  const bool possible = is_time(exchange.asked_ns) && is_time(exchange.read_ns) &&
                        is_time(exchange.answered_ns) && exchange.asked_ns <= exchange.answered_ns;
  if (!possible) return true;
  const ClockOffset bounds = {.low_ns = exchange.read_ns - exchange.answered_ns,
                              .high_ns = exchange.read_ns - exchange.asked_ns};
  const std::optional<ClockOffset> known = offset(exchange.read_ns);
  const bool agrees = !known || (bounds.low_ns <= known->high_ns && known->low_ns <= bounds.high_ns);
  if (!agrees) bounds_.clear();
  bounds_.push_back({exchange.read_ns, bounds});
  if (bounds_.size() > kExchanges) forget_one(exchange.read_ns);
  return agrees;
}

void AgentClock::forget_one(std::int64_t now) {
  const auto low = [now](const Bound& bound) { return bound.offset.low_ns - drift(bound.read_ns, now); };
  const auto high = [now](const Bound& bound) { return bound.offset.high_ns + drift(bound.read_ns, now); };
  std::size_t lower = 0, upper = 0;  // the latest ones that give a bound
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (low(bounds_[i]) >= low(bounds_[lower])) lower = i;
    if (high(bounds_[i]) <= high(bounds_[upper])) upper = i;
  }
  std::size_t oldest = 0;
  while (oldest == lower || oldest == upper) ++oldest;
  bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

std::optional<ClockOffset> AgentClock::offset(std::int64_t agent_ns) const {
  if (bounds_.empty()) return std::nullopt;
  const std::int64_t at = std::clamp<std::int64_t>(agent_ns, 0, kLatest);
  // Each two of the intervals meet when one is widened by the drift between their readings, and the drift to a third time is no
  // less: so all of them meet.
  ClockOffset all = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  for (const Bound& bound : bounds_) {
    const std::int64_t apart = drift(bound.read_ns, at);
    all.low_ns = std::max(all.low_ns, bound.offset.low_ns - apart);
    all.high_ns = std::min(all.high_ns, bound.offset.high_ns + apart);
  }
  return all;
}

std::optional<DriverTime> AgentClock::to_driver(std::int64_t agent_ns) const {
  const std::optional<ClockOffset> bounds = offset(agent_ns);
  if (!bounds) return std::nullopt;
  const std::int64_t width = bounds->high_ns - bounds->low_ns;
  const std::int64_t middle = bounds->low_ns + width / 2;
  return DriverTime{.at_ns = std::clamp<std::int64_t>(agent_ns, 0, kLatest) - middle,
                    .error = Duration(width - width / 2)};
}

std::optional<HostClock> AgentClock::known() const {
  if (bounds_.empty()) return std::nullopt;
  const std::int64_t last = bounds_.back().read_ns;
  return HostClock{.since_ns = bounds_.front().read_ns, .read_ns = last, .offset = offset(last).value()};
}

}  // namespace gauntlet
