// The values of fields that make a metric best, within bounds. How it looks for them: search.hpp.
#pragma once

#include "commands/tune/bound.hpp"
#include "commands/tune/field.hpp"
#include "commands/tune/result.hpp"
#include "commands/tune/trials.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A minute or so for the largest shipped scenario on two cores, whose replica takes a millisecond.
inline constexpr std::uint32_t kTuneBudget = 40'000;

struct TuneTask {
  std::vector<TuneField> fields;
  Objective objective = {};
  std::vector<Bound> bounds = {};
  std::uint64_t budget = kTuneBudget;  // replicas in all, at most
};

/// What a person says of it.
struct TuneWords {
  std::vector<std::string> over;        // "checkpoint.interval", "spares.count=0:64"
  std::string minimize, maximize;       // a metric; both empty: maximise ettr
  std::vector<std::string> subject_to;  // "wall_time_s.p95<60d"
  std::optional<std::uint32_t> budget;
};

struct ParsedTune {
  std::optional<TuneTask> task;
  std::vector<Problem> problems;  // every mistake; then there is no task
};
/// `source` loads.
ParsedTune parse_tune(const TuneWords& words, const PointSource& source);

/// Runs it. What was done by the time that the experiment was stopped is the result, marked so.
TuneResult tune(Experiment& experiment, const PointSource& source, TuneTask task);

}  // namespace gauntlet
