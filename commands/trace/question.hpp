// What is asked of a trace.
#pragma once

#include "commands/trace/records/format.hpp"
#include "commands/trace/records/gaps.hpp"

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace gauntlet
