// How many orders of a record had been given by a time, also where a start of the job takes no time.
#pragma once

#include "core/action.hpp"
#include "score/record_view.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

namespace gauntlet {

class OrdersByTime {
 public:
  explicit OrdersByTime(const RecordView& record) : record_(record) {}

  /// The number of orders that were given before that time. Calls come in order of time, so each order is passed
  /// once.
  std::size_t before(Time when) {
    const std::span<const RecordedOrder> orders = record_.orders;
    while (before_ > 0 && orders[before_ - 1].at >= when) --before_;
    while (before_ < orders.size() && orders[before_].at < when) ++before_;
    return before_;
  }
  /// The number of orders that were given by the end of the gap that ends at that time. An order of that same instant
  /// counts if it came no later than the start after which training continued.
  std::size_t of_gap(Time until) {
    const std::optional<std::size_t> start = start_at_once(until);
    return start ? *start + 1 : before(until);
  }
  /// Whether the job was started at that instant and trained at once. It is one of the calls that come in order of time.
  bool starts_at_once(Time when) { return start_at_once(when).has_value(); }

 private:
  /// The last such start of that instant.
  std::optional<std::size_t> start_at_once(Time when) {
    const std::span<const RecordedOrder> orders = record_.orders;
    std::optional<std::size_t> start;
    for (std::size_t i = before(when); i < orders.size() && orders[i].at == when; ++i)
      if (is_start_at_once(orders[i])) start = i;
    return start;
  }
  /// Whether it is an order to start that was done at the instant at which it was given.
  bool is_start_at_once(const RecordedOrder& order) const {
    if (!std::holds_alternative<Start>(order.order.what)) return false;
    for (std::size_t seen = order.observations;
         seen < record_.observations.size() && record_.observations[seen].at == order.at; ++seen) {
      const auto* outcome = std::get_if<Outcome>(&record_.observations[seen].what);
      if (outcome != nullptr && outcome->order == order.order.id && outcome->status == Status::done)
        return true;
    }
    return false;
  }

  const RecordView& record_;
  std::size_t before_ = 0;  // the last result of before()
};

}  // namespace gauntlet
