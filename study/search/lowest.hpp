// Where a smooth function is lowest within a box and within bounds.
#pragma once

#include "study/search/surface.hpp"

#include <functional>
#include <span>
#include <vector>

namespace gauntlet {

struct Box {
  Position low, high;  // low <= high

  bool holds(const Position& point) const;
  Position nearest(Position point) const;
};

using Response = std::function<double(const Position&)>;

/// The lowest point in the box at which every one of `bounds` is zero or less; where there is none, one that breaks them
/// least. The search (COBYLA of NLopt: M. J. D. Powell, "A direct search optimization method that models the objective
/// and constraint functions by linear interpolation", 1994, https://nlopt.readthedocs.io/en/latest/NLopt_Algorithms/)
/// starts at each of `starts`, at least one, and is deterministic: it uses no random numbers, no clock, and no functions
/// of the C library beyond the square root. Responses should vary by about one over the box.
Position lowest(const Response& response, std::span<const Response> bounds, const Box& box,
                std::span<const Position> starts);

}  // namespace gauntlet
