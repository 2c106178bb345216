// gauntlet trace: failure records of real clusters to faults of a scenario.
#pragma once

#include "core/problem.hpp"
#include "models/trace/gaps.hpp"
#include "models/trace/read.hpp"
#include "study/results/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A share of rejected lines above this is refused: rates would be too low by as much and more, which is no longer small beside
/// the error of a rate that is known from thousands of failures.
inline constexpr double kMostRejected = 0.01;

struct TraceQuestion {
  std::string file;  // comma-separated values, also compressed; or what `import` wrote, a .toml
  TraceFormat format = TraceFormat::detect;
  std::optional<std::string> system = {}, cause = {};
  std::optional<std::string> from = {}, until = {};  // ISO 8601: onsets in [from, until)
  /// Of the one system that is looked at, where the file does not say or is wrong.
  std::optional<std::uint32_t> nodes = {};
  ZeroDurations zeros = ZeroDurations::drop;
  GapsOf gaps = GapsOf::systems;
  double max_rejected = kMostRejected;  // share of the lines that may be no record
};

struct TraceFitted {
  std::optional<TraceFit> result;
  std::string profile;  // TOML that a scenario can extend
  std::vector<Problem> problems;
};
/// Never throws for bad input. Nothing is a result where nothing of the file can be used. In the profile the law of each cause
/// is that of a node's times between failures, since that is what a scenario's law is of.
TraceFitted fit_trace(const TraceQuestion& question);

struct TraceImported {
  std::optional<TraceImport> result;
  std::string faults;  // TOML that a scenario can extend
  std::vector<Problem> problems;
};
/// Times count from `from`, or from the first onset.
TraceImported import_trace(const TraceQuestion& question);

/// Failures that `import` wrote: [faults.NAME] trace and heals_after of a file. The system is named "all", repair times belong
/// to onsets in their order.
TraceRead read_fault_trace(const std::string& file);

}  // namespace gauntlet
