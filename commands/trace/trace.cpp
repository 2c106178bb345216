#include "commands/trace/trace.hpp"

#include "commands/trace/fit/law_fit.hpp"
#include "commands/trace/profile.hpp"
#include "commands/trace/source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<const char*, 3> kZeroNames = {"drop", "minute", "keep"};

LawFit plain(const FittedLaw& fit) {
  LawFit out{.law = std::string(fit.law.name()),
             .parameters = {},
             .shape_error = fit.shape_error,
             .log_likelihood = fit.log_likelihood,
             .aic = fit.aic,
             .kolmogorov_smirnov = fit.kolmogorov_smirnov,
             .anderson_darling = fit.anderson_darling};
  for (const FittedParameter& parameter : fit.parameters)
    out.parameters.emplace_back(parameter.name, parameter.value);
  return out;
}

FittedDurations fitted(std::string of, std::uint64_t records, const std::vector<double>& durations,
                       ZeroDurations zeros) {
  FittedDurations out;
  out.of = std::move(of);
  out.records = records;
  out.count = durations.size();
  out.zeros = static_cast<std::uint64_t>(std::ranges::count(durations, 0.0));
  if (!durations.empty()) out.mean_with_zeros_s = Durations(durations).mean();
  const Durations sample(without_zeros(durations, zeros));
  out.used = static_cast<std::uint64_t>(sample.size());
  if (out.used == 0) return out;
  out.mean_s = sample.mean();
  out.median_s = sample.median();
  if (sample.mean() > 0) out.variation = std::sqrt(sample.variance()) / sample.mean();
  const std::vector<FittedLaw> fits = fit_laws(sample);
  for (const FittedLaw& fit : fits) out.fits.push_back(plain(fit));
  out.best = best_of(fits);
  return out;
}

std::uint64_t count_of(const FailureTrace& trace, const RecordFilter& filter) {
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.records, [&](const FailureRecord& record) {
    return (!filter.system || record.system == *filter.system) &&
           (!filter.cause || record.cause == *filter.cause);
  }));
}

void fit_nodes(const FailureTrace& trace, TraceFit& result) {
  for (std::uint32_t system = 0; system < trace.systems.size(); ++system) {
    const Concentration of = concentration_of(trace, system);
    if (of.failures == 0) continue;
    const auto failures = static_cast<double>(of.failures);
    result.nodes.push_back({.system = trace.systems[system].name,
                            .failures = of.failures,
                            .nodes = of.nodes,
                            .top_nodes_1 = of.top_nodes_1,
                            .top_nodes_5 = of.top_nodes_5,
                            .on_top_1 = static_cast<double>(of.on_top_1) / failures,
                            .on_top_5 = static_cast<double>(of.on_top_5) / failures,
                            .stated = trace.systems[system].stated_nodes > 0,
                            .dispersion = of.dispersion,
                            .p_value = of.p_value});
  }
}

void warn(TraceFit& result) {
  const std::uint64_t gaps = result.systems.back().used;
  if (gaps >= kFewestForALaw) return;
  const std::string only = std::to_string(gaps) + (gaps == 1 ? " time" : " times");
  result.warnings.push_back("only " + only + " between failures: with fewer than " +
                            std::to_string(kFewestForALaw) +
                            " no law can be told from another, and rates are known to their order at best");
}

TraceFit fit_selected(const SelectedTrace& selected, const TraceQuestion& question) {
  const FailureTrace& trace = selected.trace;
  TraceFit out;
  out.source = selected.source;
  out.zeros = kZeroNames[static_cast<std::size_t>(question.zeros)];
  out.by_node = question.gaps == GapsOf::nodes;
  out.causes = cause_shares(trace);
  const auto gaps = [&](std::string of, const RecordFilter& filter) {
    return fitted(std::move(of), count_of(trace, filter), gaps_of(trace, question.gaps, filter),
                  question.zeros);
  };
  for (std::uint32_t i = 0; i < trace.systems.size(); ++i)
    out.systems.push_back(gaps(trace.systems[i].name, {.system = i, .cause = {}}));
  if (trace.systems.size() > 1) out.systems.push_back(gaps("", {}));
  out.repairs.push_back(fitted("", trace.records.size(), repair_times(trace, {}), question.zeros));
  for (std::uint32_t i = 0; i < trace.causes.size(); ++i) {
    const RecordFilter cause{.system = {}, .cause = i};
    out.by_cause.push_back(gaps(trace.causes[i], cause));
    out.repairs.push_back(
        fitted(trace.causes[i], count_of(trace, cause), repair_times(trace, cause), question.zeros));
  }
  fit_nodes(trace, out);
  warn(out);
  return out;
}

}  // namespace

TraceFitted fit_trace(const TraceQuestion& question) {
  TraceSelected opened = open_trace(question);
  TraceFitted out;
  out.problems = std::move(opened.problems);
  if (!opened.selected) return out;
  out.result = fit_selected(*opened.selected, question);
  out.profile = fault_profile(*opened.selected, question.zeros);
  return out;
}

}  // namespace gauntlet
