// How long each segment takes on each rank, averaged over many steps, and which ranks are slower than those that do the same work: the heat
// map of MegaScale (https://arxiv.org/abs/2402.15627, sec. 5.1).
//
// Peers of a rank are the other ranks of its pipeline stage: they have equal layers. In each step a rank's time is compared with the median
// of its peers' times in that step, so that a step that is slow for all says nothing of one. A rank is an outlier in a segment where it was
// too slow in more than half of its steps: a pause in a few of them does not make one.
#pragma once

#include "core/layout.hpp"
#include "core/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

// Slow machines took "approximately 10% more time to execute the same forward computations": MegaScale, sec. 6.3.
inline constexpr double kSlower = 0.1;
// Assumption: of fewer steps, two or three pauses are already the greater half.
inline constexpr std::uint32_t kLeastSteps = 5;

struct HeatMapQuery {
  std::optional<std::int64_t> first_step{}, last_step{};  // all, where not given
  double slower = kSlower;                                // so much longer than its peers is too slow
};

/// One segment of one rank.
struct HeatMapCell {
  std::uint32_t steps = 0;     // in which it was said; 0: never
  double mean_s = 0;           // of these steps
  std::uint32_t compared = 0;  // steps in which peers said it too
  double of_peers =
      0;  // the median, over these steps, of the ratio to the median of the peers; 0 where there were none
  std::uint32_t slow = 0;  // steps in which it was too slow
};

/// A rank on one host, with one part of the model. Where the job started again on other hosts, a rank has several rows.
struct HeatMapRow {
  std::uint32_t rank = 0;
  std::uint32_t host = 0;
  Coordinates at{};
  std::vector<HeatMapCell> cells;  // by segment
};

struct HeatMapOutlier {
  std::size_t row = 0, segment = 0;
};

struct SegmentHeatMap {
  std::string scenario;
  std::uint64_t seed = 0;
  std::uint32_t steps = 0;               // those that a later start trained again count again
  std::vector<std::string> segments;     // by name
  std::vector<HeatMapRow> rows;          // by rank, then host
  std::vector<HeatMapOutlier> outliers;  // the slowest beside its peers first
};

struct ReadHeatMap {
  SegmentHeatMap map;
  std::optional<Problem> problem;
};

/// Also while a drill writes the file.
ReadHeatMap read_heat_map(const std::string& file, const HeatMapQuery& query);

}  // namespace gauntlet
