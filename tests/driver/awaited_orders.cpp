#include "tests/driver/awaited_orders.hpp"

#include "core/record/codec.hpp"
#include "real/driver/real_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// What a driver that waits for one host after another, each held by the kernel, may be late by.
constexpr Duration kLate = 5min;
constexpr int kProbeTimes = 10;  // as the driver has it

}  // namespace

void AwaitedOrders::given(const Order& order, Time heard_at, Time now) {
  if (const auto* start = std::get_if<Start>(&order.what)) collective_timeout_ = start->collective_timeout;
  waiting_.insert_or_assign(order.id.value, Waiting{order, now, stopped_, allowed(order.what, heard_at)});
}

void AwaitedOrders::heard(const Observed& seen) {
  if (const auto* outcome = std::get_if<Outcome>(&seen.what)) waiting_.erase(outcome->order.value);
}

/// Zero: it is answered before anybody waits for anything.
std::optional<Duration> AwaitedOrders::allowed(const Action& what, Time heard_at) const {
  constexpr Duration kAnswer = 2 * kAnswersWithin + kLate;
  if (const auto* wake = std::get_if<Wake>(&what)) {
    return wake->at == kNever ? std::nullopt
                              : std::optional(std::max(Duration::zero(), wake->at - heard_at) + kLate);
  }
  if (std::holds_alternative<Ask>(what)) return from_seconds(world_->people.response.mean()) + kLate;
  if (std::holds_alternative<Acquire>(what)) return std::nullopt;
  if (std::holds_alternative<Stop>(what)) return kAnswer;
  if (const auto* start = std::get_if<Start>(&what)) return kAnswer + start->collective_timeout;
  if (std::holds_alternative<Checkpoint>(what)) return kAnswer + collective_timeout_;
  if (const auto* probe = std::get_if<Probe>(&what))
    return kAnswer + kProbeTimes * world_->probes[probe->probe.value].time;
  return Duration::zero();
}

std::string AwaitedOrders::overdue(Time now) const {
  for (const auto& [number, waiting] : waiting_) {
    if (!waiting.most) continue;
    const Duration waited = now - waiting.since - (stopped_ - waiting.stopped);
    if (*waiting.most == Duration::zero() || waited > *waiting.most)
      return "no outcome of " + to_text(waiting.order) + ", which waits without a deadline";
  }
  return "";
}

}  // namespace gauntlet
