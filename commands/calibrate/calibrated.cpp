#include "commands/calibrate/calibrated.hpp"

#include "commands/calibrate/probe_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

double size_for(const KeySample& sample, const CalibratedScenario& of) {
  return sample.grows == Grows::with_hosts ? of.hosts : sample.grows == Grows::with_bytes ? of.bytes : 0;
}

/// Phases of a start that the scenario has and nobody measured: what was measured holds them.
std::vector<std::string> zeroed_phases(const StartChain& chain,
                                       const std::map<std::string, KeySample>& samples) {
  if (!samples.contains("job.start.process_start") && !samples.contains("job.start.communicator_init"))
    return {};
  const std::array<std::pair<std::string_view, const Law*>, 5> kPhases = {
      {{"job.start.scheduling", &chain.scheduling},
       {"job.start.process_start", &chain.process_start},
       {"job.start.communicator_init", &chain.communicator_init},
       {"job.start.data_loader", &chain.data_loader},
       {"job.start.warm_up", &chain.warm_up}}};
  std::vector<std::string> out;
  for (const auto& [key, law] : kPhases)
    if (!samples.contains(std::string(key)) && law->mean() > 0) out.emplace_back(key);
  return out;
}

Problem no_start(const std::vector<MeasuredRun>& runs) {
  return {.file = runs.front().file,
          .why = runs.size() == 1 ? "has no start of the job that was complete"
                                  : "and the others have no start of the job that was complete",
          .suggestion = "record a drill whose job trains: gauntlet drill SCENARIO --hosts N --record FILE"};
}

Problem not_above_zero(const std::string& key) {
  return {.what = key,
          .why = "would not be above zero at that size, on the line through what was measured",
          .suggestion = "choose a size nearer to those that were measured, or measure one that is nearer"};
}

/// Nothing where the value is for a size that was measured.
std::optional<std::string> warning_of(const CalibratedKey& key) {
  if (!key.value.extrapolated) return std::nullopt;
  if (key.value.line) return fmt::format("warning: {} is extrapolated: {}", key.sample.key, line_text(key));
  return fmt::format(
      "warning: {} was measured at another size, and is taken as constant; measure a second size",
      key.sample.key);
}

/// The days on which the recordings were complete.
std::string days_of(const std::vector<MeasuredRun>& runs) {
  std::string first = runs.front().day, last = first;
  for (const MeasuredRun& each : runs) {
    first = std::min(first, each.day);
    last = std::max(last, each.day);
  }
  return first == last ? first : first + " to " + last;
}

}  // namespace

Calibrated calibrate(const std::vector<MeasuredRun>& runs, const std::vector<std::string>& probe_reports,
                     const CalibrationSize& size) {
  Calibrated out;
  std::map<std::string, KeySample> samples = collect(runs);
  const bool starts = std::any_of(samples.begin(), samples.end(), [](const auto& each) {
    return each.first.starts_with("job.start.process") || each.first.starts_with("job.start.comm") ||
           each.first == "job.restart_time";
  });
  if (!starts) out.problems.push_back(no_start(runs));
  if (auto problem = add_probe_reports(probe_reports, samples)) out.problems.push_back(std::move(*problem));
  if (!out.problems.empty()) return out;

  CalibratedScenario result;
  result.recordings = runs.size();
  result.date = days_of(runs);
  for (const MeasuredRun& each : runs) {
    result.hosts = std::max(result.hosts, each.hosts());
    result.bytes = std::max(result.bytes, each.bytes());
  }
  result.hosts = size.hosts.value_or(result.hosts);
  result.bytes = size.bytes.value_or(result.bytes);
  const LoadedScenario& base = runs.front().loaded;
  result.zeroed = zeroed_phases(base.scenario->world.job.start, samples);
  for (auto& [key, sample] : samples) {
    const auto value = estimate(sample, size_for(sample, result));
    if (!value) {
      out.problems.push_back(not_above_zero(key));
      continue;
    }
    if (key.starts_with(kSignalPrefix)) {
      sample.key.erase(0, kSignalPrefix.size());
      result.signals.push_back({std::move(sample), *value});
      continue;
    }
    const bool placed = !key.starts_with("probes.") || base.resolved.find(key) != nullptr;
    CalibratedKey& put =
        (placed ? result.keys : result.without_place).emplace_back(CalibratedKey{std::move(sample), *value});
    if (auto warning = warning_of(put)) result.warnings.push_back(std::move(*warning));
  }
  if (out.problems.empty()) out.result = std::move(result);
  return out;
}

}  // namespace gauntlet
