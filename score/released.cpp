#include "score/released.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace gauntlet {
namespace {

bool was_done(const Record& record, const RecordedOrder& order, StopLook& look) {
  const auto first = record.observations.begin() + static_cast<std::ptrdiff_t>(order.observations);
  return std::any_of(first, record.observations.end(), [&](const Observed& seen) {
    look.look();
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    return outcome != nullptr && outcome->order == order.order.id && outcome->status == Status::done;
  });
}

}  // namespace

Duration time_released(const Record& record, Time end, StopLook& look) {
  Duration released{};
  Time since = kNever;  // it holds its hosts
  for (const RecordedOrder& each : record.orders) {
    look.look();
    if (since == kNever) {
      if (std::holds_alternative<Release>(each.order.what) && was_done(record, each, look)) since = each.at;
    } else if (std::holds_alternative<Start>(each.order.what)) {
      released += each.at - since;
      since = kNever;
    }
  }
  return since == kNever ? released : released + (end - since);
}

}  // namespace gauntlet
