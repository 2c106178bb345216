// A scenario at many values of its fields, all of them under the same faults.
//
// Every point runs the same replicas, so the faults that they have in common cancel from their differences. With a
// precision, points run in rounds: first kFirstReplicas, then twice as many of each that misses it. An interval that was
// watched while it grew covers a little less than 95%; with 32 values or more the loss is small.
#pragma once

#include "commands/sweep/result.hpp"
#include "commands/sweep/terms.hpp"
#include "core/problem.hpp"
#include "study/design.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct ParsedPrecision {
  std::optional<PrecisionGoal> goal;
  std::optional<Problem> problem;  // where there is none
};
/// "ettr=0.002"; of a metric in seconds also a duration ("wall_time_s=1h"). `facts`: whose metrics there are.
ParsedPrecision parse_precision(std::string_view text, const ScenarioFacts& facts);

struct ParsedBudget {
  std::optional<std::uint64_t> budget;
  std::optional<Problem> problem;  // where there is none
};
/// A whole number from 1 on.
ParsedBudget parse_budget(std::string_view text);

/// What is varied, and the settings of each point.
struct SweepPlan {
  std::vector<Axis> axes;
  std::string design = "grid";
  std::vector<Settings> points;
  std::vector<RefusedPoint> refused = {};  // left out of `points`
};

/// The points of a plan, or what is wrong with the first of them whose scenario does not load.
struct LoadedPoints {
  std::vector<std::shared_ptr<const Point>> points;
  std::vector<Problem> problems;
};
/// Numbers that the scenario refuses (a timeout below what it waits for) are moved to `refused`. Words that it refuses are
/// a mistake, and so are numbers where no point is left.
LoadedPoints load_points(const PointSource& source, SweepPlan& plan);

/// Runs it. What was done by the time that the experiment was stopped is the result, marked `interrupted`.
SweepResult sweep(Experiment& experiment, const SweepPlan& plan,
                  std::span<const std::shared_ptr<const Point>> points, const SweepTerms& terms);

}  // namespace gauntlet
