// How many orders of a record had been given by a time, also where a start of the job takes no time.
#pragma once

#include "core/action.hpp"
#include "core/record/record.hpp"
#include "score/stop_look.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <variant>
#include <vector>

namespace gauntlet {

class OrdersByTime {
 public:
  /// The record must outlive it.
  OrdersByTime(const Record& record, StopLook& look) : record_(record) {
    for (std::size_t i = 0; i < record.orders.size(); ++i) {
      look.look();
      if (is_start_at_once(record.orders[i])) starts_at_once_.push_back(i);
    }
  }

  /// The number of orders that were given before that time. Calls come in order of time, so each order is passed
  /// once.
  std::size_t before(Time when) {
    const std::vector<RecordedOrder>& orders = record_.orders;
    while (before_ > 0 && orders[before_ - 1].at >= when) --before_;
    while (before_ < orders.size() && orders[before_].at < when) ++before_;
    return before_;
  }
  /// The number of orders that were given by the end of the gap that ends at that time. An order of that same instant
  /// counts if it came no later than the start after which training continued.
  std::size_t of_gap(Time until) {
    const auto after_it =
        std::upper_bound(starts_at_once_.begin(), starts_at_once_.end(), until,
                         [&](Time at, std::size_t start) { return at < record_.orders[start].at; });
    const bool at_once =
        after_it != starts_at_once_.begin() && record_.orders[*std::prev(after_it)].at == until;
    return at_once ? *std::prev(after_it) + 1 : before(until);
  }
  /// Whether the job was started at that instant and trained at once.
  bool starts_at_once(Time when) { return of_gap(when) > before(when); }

 private:
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

  const Record& record_;
  std::size_t before_ = 0;                   // the last result of before()
  std::vector<std::size_t> starts_at_once_;  // indices in the orders of the record
};

}  // namespace gauntlet
