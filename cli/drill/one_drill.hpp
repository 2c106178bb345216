// One drill, and the simulation of its fault plan, as data.
#pragma once

#include "cli/drill/request.hpp"
#include "core/problem.hpp"
#include "core/record/recording.hpp"
#include "real/driver/drill.hpp"
#include "score/figures.hpp"
#include "sim/faults/fault_plan.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/summary/summary.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The faults of a drill with this seed, as far as `drill.at_once` lets them; none with --no-faults.
BoundedPlan plan_of(const DrillTask& task);

/// What starts its agents. What the launcher needs and does not find here is a problem; none: `out` is it.
std::vector<Problem> launcher_of(const DrillTask& task, std::unique_ptr<Launcher>& out);

struct MeasuredDrill {
  RecordingHeader header;
  FaultPlan plan;
  DrillResult result;    // where `began` is false, or `difference` is set, nothing below is known
  Figures figures;       // with its incidents
  Summary summary;       // of this one drill
  std::string sections;  // of its report (cli/drill_sections.hpp)
  std::optional<Problem> not_written = {};  // why --out does not have the results
};

/// Either a drill, or what keeps it from being started.
struct MeasureAnswer {
  std::optional<MeasuredDrill> drill;
  std::vector<Problem> problems;
};

struct OneDrillOptions {
  std::string progress = {};   // before each line of progress on a terminal
  std::string recording = {};  // where a finished drill is kept, before its results are; empty: nowhere
  Existing existing = Existing::refuse;  // what --out holds
};

/// Drills, scores, and writes the results to --out where the drill is finished. Throws std::runtime_error where the environment does not
/// allow it.
MeasureAnswer measure_drill(const DrillTask& task, const OneDrillOptions& options = {});

struct SimulatedDrill {
  Record record;
  Figures figures;  // with its incidents
};

/// The same fault plan, simulated. `replica`: of what chance decides beside the plan. Nothing once `stop` is set.
std::optional<SimulatedDrill> simulate_drill(const DrillTask& task, const FaultPlan& plan,
                                             std::uint32_t replica, const std::atomic<bool>* stop = nullptr);

}  // namespace gauntlet
