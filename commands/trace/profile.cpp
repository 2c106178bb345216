#include "commands/trace/profile.hpp"

#include "commands/trace/fault_toml.hpp"
#include "commands/trace/fit/law_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::array<const char*, 3> kZeroWords = {
    "durations of zero are dropped", "durations of zero count as a minute", "durations of zero are kept"};
bool too_few(const Durations& sample) { return sample.size() < static_cast<double>(kFewestForALaw); }

/// How long how many nodes were watched, all systems together.
struct Watched {
  Duration time{};
  std::uint64_t nodes = 0;
};
Watched watched_of(const SelectedTrace& selected) {
  double node_seconds = 0;
  Watched out;
  for (std::uint32_t i = 0; i < selected.every_cause.systems.size(); ++i) {
    const std::uint64_t nodes = selected.every_cause.systems[i].node_count();
    out.nodes += nodes;
    node_seconds +=
        to_seconds(selected.window.value_or(span_of(selected.every_cause, i))) * static_cast<double>(nodes);
  }
  if (out.nodes == 0) return out;
  const double whole_seconds = std::floor(node_seconds / static_cast<double>(out.nodes) + 0.5);
  out.time = from_seconds(whole_seconds);
  return out;
}

/// Of a system at least it is not said how many nodes it has.
bool only_failed_nodes(const FailureTrace& trace) {
  return std::ranges::any_of(trace.systems,
                             [](const TraceSystem& system) { return system.stated_nodes == 0; });
}

/// The best by AIC; of few durations the exponential, which has no shape. None where none is above zero.
std::optional<FittedLaw> best_law(const Durations& sample) {
  std::vector<FittedLaw> fits = fit_laws(sample);
  if (fits.empty()) return std::nullopt;
  return std::move(fits[too_few(sample) ? 0 : *best_of(fits)]);
}

std::string why(const std::optional<FittedLaw>& fit, const Durations& sample, const char* of) {
  if (too_few(sample)) return fmt::format("{} {}: too few for a law but the exponential.", sample.size(), of);
  const std::string error =
      fit && fit->shape_error ? fmt::format("; its shape or sigma +- {:.2g}", *fit->shape_error) : "";
  return fmt::format("The best of five laws by AIC on {} {}{}.", sample.size(), of, error);
}

ProfiledFault profiled(const FailureTrace& trace, std::uint32_t cause, const Watched& watched,
                       ZeroDurations zeros) {
  const RecordFilter filter{.system = {}, .cause = cause};
  ProfiledFault out;
  out.cause = trace.causes[cause];
  out.watched = watched.time;
  out.nodes = watched.nodes;
  for (const FailureRecord& record : trace.records)
    if (record.cause == cause && trace.systems[record.system].node_count() > 0) ++out.count;
  const Durations gaps(without_zeros(gaps_of(trace, GapsOf::nodes, filter), zeros));
  const Durations repairs(without_zeros(repair_times(trace, filter), zeros));
  out.life = best_law(gaps);
  out.repair = best_law(repairs);
  out.why_life = why(out.life, gaps, "times between failures of a node");
  out.why_repair = why(out.repair, repairs, "repair times");
  return out;
}

}  // namespace

std::string source_text(const TraceSource& source) {
  std::string out = std::filesystem::path(source.file).filename().string();
  for (const std::string& each : source.selection) out += ", " + each;
  return out;
}

std::string fault_profile(const SelectedTrace& selected, ZeroDurations zeros) {
  const Watched watched = watched_of(selected);
  if (watched.nodes == 0 || watched.time <= Duration::zero()) return "";
  if (selected.source.selected < kFewestForARate && !selected.window) return "";
  std::vector<ProfiledFault> faults;
  for (std::uint32_t cause = 0; cause < selected.trace.causes.size(); ++cause) {
    ProfiledFault fault = profiled(selected.trace, cause, watched, zeros);
    if (fault.count > 0) faults.push_back(std::move(fault));
  }
  if (faults.empty()) return "";
  const TraceSource& source = selected.source;
  const std::string about = fmt::format(
      "laws that gauntlet trace fit found in {} failures of {}; {}.\n\n"
      "A rate is a count over the time from the first failure to the last (or the window that was asked "
      "for), times the nodes.\n"
      "A law is of the "
      "time between two\n"
      "failures of one node, those of all nodes taken together: nodes that differ lower its shape, and the "
      "lives that the\n"
      "window cut are not in it. A fault ends by itself after as long as its repair took. A host that was "
      "evicted "
      "comes back after\n"
      "repair.time of the scenario: where the repairs of these records are to count, write that time from "
      "them.{}",
      source.selected, source_text(source), kZeroWords[static_cast<std::size_t>(zeros)],
      only_failed_nodes(selected.trace)
          ? "\n\nNodes are those that failed, which is all that the records know: "
            "where there are more, rates are lower\n(gauntlet trace fit --nodes N)."
          : "");
  return fault_profile_toml(faults, {.source = source_text(source), .about = about});
}

}  // namespace gauntlet
