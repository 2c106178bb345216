// How many orders of a record had been given by a time, also where a start of the job takes no time.
#pragma once

#include "core/action.hpp"
#include "score/record_view.hpp"
#include "score/stop_look.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace gauntlet {

class OrdersByTime {
 public:
  OrdersByTime(const RecordView& record, StopLook& look) : record_(record) {
    for (std::size_t i = 0; i < record.orders.size(); ++i) {
      look.look();
      if (is_start_at_once(record.orders[i])) starts_at_once_.push_back(i);
    }
  }

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
  /// Whether the job was started at that instant and trained at once.
  bool starts_at_once(Time when) const { return start_at_once(when).has_value(); }

 private:
  /// The last such start of that instant.
  std::optional<std::size_t> start_at_once(Time when) const {
    const auto after_it =
        std::upper_bound(starts_at_once_.begin(), starts_at_once_.end(), when,
                         [&](Time at, std::size_t start) { return at < record_.orders[start].at; });
    if (after_it == starts_at_once_.begin()) return std::nullopt;
    const std::size_t start = *std::prev(after_it);
    return record_.orders[start].at == when ? std::optional(start) : std::nullopt;
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

  const RecordView record_;
  std::size_t before_ = 0;                   // the last result of before()
  std::vector<std::size_t> starts_at_once_;  // indices in the orders of the record
};

}  // namespace gauntlet
