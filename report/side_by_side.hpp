// Two runs of one fault plan beside each other: a drill on real processes and its simulation.
#pragma once

#include "core/record/record.hpp"
#include "score/figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct Side {
  std::string name;  // "real", "simulated"
  const Record* record = nullptr;
  const Figures* figures = nullptr;
};

/// What an order does to what, without its id and without any time that is its own.
std::string order_text(const Action& action);

/// Two orders of the same meaning: kind and target, ids, times and measured bounds aside. Either may be missing.
struct OrderPair {
  std::optional<std::size_t> left, right;  // in Record::orders
};
/// Every order of both sides once. Pairs come in the order of both; what has no partner in that order may have one elsewhere.
std::vector<OrderPair> pair_orders(const Record& left, const Record& right);

/// Per incident and phase the times of both, then the orders of both in pairs, with what differs between them and the cause that the records
/// show: what was observed in one run alone or more often, came earlier, or took longer. A difference without such a cause is said to
/// be unexplained.
std::string side_by_side(const Side& left, const Side& right, const std::vector<std::string>& fault_names);

}  // namespace gauntlet
