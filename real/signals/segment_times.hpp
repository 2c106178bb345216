// Forward and backward times of a host, step by step: of the slowest of its ranks.
#pragma once

#include "core/signal.hpp"
#include "real/rank/lines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

class SegmentTimes {
 public:
  /// What a segment line of one of the host's `ranks` completes: each of forward and backward once all ranks have said it, or once a
  /// later step is spoken of. Seconds.
  std::vector<std::pair<Signal, double>> on_segment(const RankLine& line, std::size_t ranks);

 private:
  struct Times {
    std::size_t heard = 0;
    std::int64_t longest_ns = 0;
  };
  std::int64_t step_ = 0;
  std::array<Times, 2> times_{};  // forward, backward
};

}  // namespace gauntlet
