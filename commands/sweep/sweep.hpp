// A scenario at many values of its fields, all of them under the same faults.
//
// Every point runs the same replicas, so the faults that they have in common cancel from their differences. With a precision,
// points run in rounds (study/rounds.hpp).
#pragma once

#include "commands/sweep/result.hpp"
#include "core/problem.hpp"
#include "study/design.hpp"
#include "study/experiment.hpp"
#include "study/rounds.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

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
  std::vector<std::string> notes = {};     // SweepResult::notes
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
                  std::span<const std::shared_ptr<const Point>> points, const ReplicaTerms& terms);

}  // namespace gauntlet
