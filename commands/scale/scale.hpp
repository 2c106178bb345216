// A scenario at many sizes of its job, all with the same seed.
#pragma once

#include "commands/scale/result.hpp"
#include "core/problem.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/size.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The sizes to run, and the scenario at each.
struct ScalePlan {
  std::string gpus;  // the text that asks for them
  std::shared_ptr<const Point> base;
  BatchScaling batch = BatchScaling::scaled;
  std::vector<std::shared_ptr<const Point>> points;  // from small to large
  std::vector<RoundedSize> rounded;                  // asked for, but not whole replicas
  std::vector<Problem> problems;                     // then there are no points
};

/// `gpus` as parse_gpu_counts reads it; a range also takes in the scenario's own size. Empty: in steps of two from
/// a 16th of the power of two next to its size to eight times that, as far as the job can have these.
/// Sizes are rounded to what the job can have (study/size.hpp); one that would more than double or halve by that is a
/// mistake, and so is one below the smallest. `option`: for messages.
ScalePlan plan_scale(const PointSource& source, std::string_view gpus, BatchScaling batch,
                     std::string_view option);

/// Runs so many replicas of every size. What was done by the time that the experiment was stopped is the result,
/// marked `interrupted`. The plan has points.
ScaleResult scale(Experiment& experiment, const ScalePlan& plan, std::uint32_t replicas);

}  // namespace gauntlet
