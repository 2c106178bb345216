// Two runs of one fault plan beside each other: a drill on real processes and its simulation.
#pragma once

#include "core/record/record.hpp"
#include "score/figures.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct Side {
  std::string name;  // "real", "simulated"
  const Record* record = nullptr;
  const Figures* figures = nullptr;
};

/// Where two sequences of orders part, ids and times aside.
struct Parting {
  std::size_t order = 0;                        // how many orders were the same
  std::string left, right;                      // the orders that differ; empty where there is none any more
  std::string left_answering, right_answering;  // the observations that they answer
};
std::optional<Parting> where_orders_part(const Record& left, const Record& right);

/// Per incident and phase the times of both, then the orders of both or where they part.
std::string side_by_side(const Side& left, const Side& right, const std::vector<std::string>& fault_names);

}  // namespace gauntlet
