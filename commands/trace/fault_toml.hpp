// Failures as files that a scenario can extend: what happened, or the laws behind it.
#pragma once

#include "commands/trace/fit/law_fit.hpp"
#include "commands/trace/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What such files begin with, so that nothing else is overwritten.
inline constexpr std::string_view kFaultTraceBegins = "# A fault trace:";
inline constexpr std::string_view kFaultProfileBegins = "# A fault profile:";

/// The law's name and parameters as a scenario writes them. `with_mean`: complete; else without what a rate says.
std::string law_toml(const FittedLaw& fit, bool with_mean);

/// [faults.CAUSE] for each cause, with the onsets of its records since `origin`, and their repair times as an empirical law of
/// how long it lasts. What has no place there is counted by `trace_losses`.
struct TraceText {
  std::string source;  // the file, by its name
  std::string about;   // words below the first line
  Duration origin{};   // of all times
};
std::string fault_trace_toml(const FailureTrace& trace, const TraceText& text);

/// Records that name no node, which no host stands for; and repair times of zero, which no law of a scenario has.
struct TraceLosses {
  std::uint64_t without_node = 0, zero_repairs = 0;
};
TraceLosses trace_losses(const FailureTrace& trace);

/// One cause of a profile.
struct ProfiledFault {
  std::string cause;
  std::uint64_t count = 0;        // failures of it ...
  Duration watched{};             // ... in this time ...
  std::uint64_t nodes = 0;        // ... of so many nodes
  std::optional<FittedLaw> life;  // of a node's times between failures; none: exponential
  std::optional<FittedLaw> repair;
  std::string why_life, why_repair;  // comments: how sure that is
};
std::string fault_profile_toml(const std::vector<ProfiledFault>& faults, const TraceText& text);

}  // namespace gauntlet
