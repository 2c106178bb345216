// Where the times of segments go, as the ranks of a job report them step by step.
#pragma once

#include "core/layout.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Where a rank runs, and which part of the model it has.
struct RankSeat {
  std::uint32_t rank = 0;
  std::uint32_t host = 0;
  Coordinates at{};
};

/// The parts of one name in one step of one rank, together.
struct SegmentTime {
  std::uint32_t run = 0;  // a start of the job, from 1
  std::uint32_t rank = 0;
  std::int64_t step = 0;
  std::string name{};
  Duration took{};
  Time reported{};  // by the rank, since the drill began
};

/// Which drill the segments are of.
struct SegmentOrigin {
  std::string scenario;  // its name
  std::uint64_t seed = 0;
};

class SegmentSink {
 public:
  virtual ~SegmentSink() = default;
  /// Before any segment of that run.
  virtual void begin(std::uint32_t run, std::span<const RankSeat> seats) = 0;
  virtual void add(const SegmentTime& segment) = 0;
  /// Now and then, also while nothing is added.
  virtual void flush() = 0;
};

}  // namespace gauntlet
