// Forward and backward times of a host, step by step: of the slowest of its ranks.
#pragma once

#include "core/signal.hpp"
#include "real/rank/lines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gauntlet {

class SegmentTimes {
 public:
  /// What the line of one of the host's `ranks` completes, in seconds: each of forward and backward once all ranks have reported it, or once
  /// a rank reports a step that is more than `kBehind` later. What a device computed is reported late, by the slowest rank last. A rank that
  /// times the same name by its own clock and by the device has the first of the two.
  std::vector<std::pair<Signal, double>> on_segment(std::uint32_t rank, const RankLine& line,
                                                    std::size_t ranks);

  static constexpr std::int64_t kBehind = 3;  // steps

 private:
  struct Times {
    std::set<std::uint32_t> heard;  // ranks
    std::int64_t longest_ns = 0;
    bool told = false;
  };
  using Step = std::array<Times, 2>;  // forward, backward
  std::map<std::int64_t, Step> steps_;
  std::int64_t newest_ = 0, over_ = 0;  // `over_`: steps up to this one are no longer heard
};

}  // namespace gauntlet
