// A record as the judges read it: from front to back.
#pragma once

#include "core/record/record.hpp"
#include "score/stop_look.hpp"

#include <cstddef>
#include <span>

namespace gauntlet {

/// Spans, because a vector divides to know its size, and the judges ask at every entry. The record must outlive it and stay as it is.
struct RecordView {
  std::span<const Observed> observations;
  std::span<const RecordedOrder> orders;
  explicit RecordView(const Record& record) : observations(record.observations), orders(record.orders) {}
};

/// One pass: `heard(const Observed&)` for each observation, and after each `ordered(std::span<const RecordedOrder>)` for the orders that
/// followed it: one after the other, each at the front of all that remain.
template <class Heard, class Ordered>
void pass(RecordView record, StopLook& look, const Heard& heard, const Ordered& ordered) {
  std::size_t count = 0;  // observations
  for (const Observed& seen : record.observations) {
    look.look();
    heard(seen);
    ++count;
    for (; !record.orders.empty() && record.orders.front().observations <= count;
         record.orders = record.orders.subspan(1))
      ordered(record.orders);
  }
}

}  // namespace gauntlet
