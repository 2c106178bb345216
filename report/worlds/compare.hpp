// Drills beside their simulations: what was measured, what was simulated from the same fault plans, and the difference with its interval.
#pragma once

#include "report/worlds/decisions.hpp"
#include "score/figures.hpp"
#include "study/summary/paired_difference.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// A drill and its simulation, which met the same fault plan.
struct DrillPair {
  std::uint32_t number = 1;  // of the drill, from 1
  std::uint64_t seed = 0;
  Figures measured, simulated;  // both with their incidents
  Decisions decisions = {};     // measured on the left
};

enum class WorldUnit : std::uint8_t { share, seconds, count };
/// What a figure is the mean over.
enum class WorldPer : std::uint8_t { time, run, incident, fault };

/// One figure of both worlds. Over several drills it is the ratio of totals, as in studies (study/summary/metrics.hpp).
struct WorldFigure {
  std::string fault;  // the fault kind; empty: of the whole run
  std::string name;
  WorldUnit unit = WorldUnit::seconds;
  WorldPer per = WorldPer::run;
  std::optional<double> measured, simulated;  // absent where no drill defines it
  PairedDifference of;                        // measured - simulated, paired by drill (study/paired.hpp)
};

/// The whole run: ETTR, wall time, incidents, time per incident, detection latency, then the time in each phase per run. For each fault kind that
/// met a job: how many did per run and how many were detected, the latency of these (to 0.4%, score/latencies.hpp), and per incident
/// that it opened the time in each phase, the starts and the evictions; then its share of the wall time. A figure that is zero in every
/// run of both worlds is left out. `faults`: names by FaultKindId.
std::vector<WorldFigure> compare_worlds(std::span<const DrillPair> pairs,
                                        const std::vector<std::string>& faults);

}  // namespace gauntlet
