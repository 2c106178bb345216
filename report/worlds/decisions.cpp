#include "report/worlds/decisions.hpp"

#include "report/causes.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <variant>
#include <vector>

namespace gauntlet {
namespace {

bool is_decision(const Action& action) {
  return !std::holds_alternative<Wake>(action) && !std::holds_alternative<Cancel>(action) &&
         !std::holds_alternative<Watch>(action) && !std::holds_alternative<Unwatch>(action);
}

/// The decisions of a record, and the place of each among all its orders.
struct DecisionsOf {
  Record record;
  std::vector<std::size_t> places;
  explicit DecisionsOf(const Record& all) {
    for (std::size_t i = 0; i < all.orders.size(); ++i) {
      if (!is_decision(all.orders[i].order.what)) continue;
      record.orders.push_back(all.orders[i]);
      places.push_back(i);
    }
  }
};

FirstDifference difference_at(const Side& side, std::size_t place) {
  const RecordedOrder& order = side.record->orders[place];
  const Causes causes(*side.record);
  return {.side = side.name,
          .decision = order_text(order.order.what),
          .at = order.at,
          .observation = causes.text_of(causes.origin_of(place))};
}

}  // namespace

Decisions compare_decisions(const Side& left, const Side& right) {
  const DecisionsOf a(*left.record), b(*right.record);
  Decisions found;
  for (const OrderPair& pair : pair_orders(a.record, b.record)) {
    if (pair.left && pair.right) {
      ++found.same;
      continue;
    }
    ++(pair.left ? found.left_alone : found.right_alone);
    if (!found.first)
      found.first =
          pair.left ? difference_at(left, a.places[*pair.left]) : difference_at(right, b.places[*pair.right]);
  }
  return found;
}

std::string decisions_text(const Decisions& decisions, const std::string& left, const std::string& right) {
  if (!decisions.first) return fmt::format("The decisions are the same: {}.\n", decisions.same);
  const FirstDifference& first = *decisions.first;
  return wrapped(
      fmt::format("The decisions differ: {} on both sides, {} {} alone, {} {} alone. They first differ at "
                  "{:.3f} s, after {} ({}): {} alone "
                  "gives {}.",
                  decisions.same, decisions.left_alone, left, decisions.right_alone, right,
                  to_seconds(first.at - kStart), first.observation, first.side, first.side, first.decision));
}

}  // namespace gauntlet
