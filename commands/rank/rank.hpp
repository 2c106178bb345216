// The most valuable improvement of a scenario: all of them, each made alone, in the order of what they gain.
#pragma once

#include "commands/rank/result.hpp"
#include "core/problem.hpp"
#include "study/experiment.hpp"
#include "study/levers/levers.hpp"
#include "study/levers/rank.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What to rank.
struct RankPlan {
  std::shared_ptr<const Point> base;
  std::vector<Lever> levers;
  RankTerms terms;
  std::vector<Problem> problems;  // then the rest does not count
};

/// Replicas of each lever at the first look, unless the scenario's study.replicas are fewer.
inline constexpr std::uint32_t kFirstOfLever = 100;

/// `only`: levers by their path or a part of it, none: all of the scenario. `replicas` of every lever and no more; without
/// them as many as the order of the first `claimed` takes: from the scenario's study.replicas, kFirstOfLever at most, to
/// 32 times as many.
RankPlan plan_rank(const PointSource& source, const std::vector<std::string>& only,
                   std::optional<std::uint32_t> replicas, std::uint32_t claimed);

/// The plan has a base. What was done by the time that the experiment was stopped is the result, marked as interrupted.
RankResult rank(Experiment& experiment, const PointSource& source, const RankPlan& plan);

}  // namespace gauntlet
