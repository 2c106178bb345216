// Max-min fair rates of flows over shared links: progressive filling (Bertsekas and Gallager, Data Networks, 2nd ed., 1992,
// sec. 6.5.2).
#pragma once

#include "core/quantity.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// Flows in compressed rows: flow f uses links[begin[f]] .. links[begin[f + 1]].
struct Flows {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> links;
  std::vector<double> weights;  // empty: all 1; a flow of weight 2 gets twice the rate of one of weight 1
  void add(std::span<const std::uint32_t> path) {
    links.insert(links.end(), path.begin(), path.end());
    begin.push_back(static_cast<std::uint32_t>(links.size()));
  }
  std::size_t size() const { return begin.size() - 1; }
};

/// Bytes per second of each flow. A flow over a link without capacity has 0; one without links, or over endless ones alone,
/// is unbounded (infinity). A flow that names a link twice takes its rate from it twice. Weights are above zero.
///
/// O(n log n) in the links that the flows name. The same bits for the same arguments.
std::vector<double> max_min_rates(const Flows& flows, std::span<const double> capacities);

}  // namespace gauntlet
