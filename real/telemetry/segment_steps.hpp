// The segments of a few steps as they were reported, with the seats of their ranks.
#pragma once

#include "core/problem.hpp"
#include "real/telemetry/segment_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

struct SegmentStepsQuery {
  std::optional<std::int64_t> first_step{}, last_step{};  // without the first one: the last `few` steps
  std::int64_t few = 3;
  std::size_t most = 100'000;  // segments
};

struct SegmentSteps {
  std::string scenario;
  std::uint64_t seed = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, RankSeat> seats;  // by run and rank
  std::vector<SegmentTime> segments;                                  // by run, step, rank and name
};

struct ReadSegmentSteps {
  SegmentSteps steps;
  std::optional<Problem> problem;
};

/// Also while a drill writes the file. More segments than `most` are a problem.
ReadSegmentSteps read_segment_steps(const std::string& file, const SegmentStepsQuery& query);

}  // namespace gauntlet
