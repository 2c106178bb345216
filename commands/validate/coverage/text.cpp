#include "commands/validate/coverage/text.hpp"

#include "report/style.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

std::string percent_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// Of a scenario: the metrics that are judged, the lowest coverage first.
std::vector<const CoveredMetric*> judged(const CoverageResult& result, const CoveredScenario& scenario) {
  std::vector<const CoveredMetric*> out;
  for (const CoveredMetric& metric : scenario.metrics)
    if (result.is_judged(metric)) out.push_back(&metric);
  std::ranges::stable_sort(out, {}, [](const CoveredMetric* each) { return each->controlled.share(); });
  return out;
}

/// How many times as many plain replicas have intervals as narrow.
std::string worth_text(const CoveredMetric& metric) {
  if (!(metric.controlled.width > 0)) return "-";
  const double times = metric.plain.width / metric.controlled.width;
  return fmt::format("{:.1f}", times * times);
}

TextTable table_of(const CoverageResult& result) {
  TextTable table{.header = {"scenario", "metrics", "lowest", "median", "highest", "ETTR", "plain", "worth"},
                  .rows = {}};
  for (const CoveredScenario& scenario : result.scenarios) {
    const std::vector<const CoveredMetric*> some = judged(result, scenario);
    const auto ettr = std::ranges::find(scenario.metrics, "ettr", &CoveredMetric::name);
    if (some.empty() || ettr == scenario.metrics.end()) {
      table.rows.push_back({scenario.name, "0", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    table.rows.push_back(
        {scenario.name, std::to_string(some.size()), percent_text(some.front()->controlled.share()),
         percent_text(some[some.size() / 2]->controlled.share()),
         percent_text(some.back()->controlled.share()), percent_text(ettr->controlled.share()),
         percent_text(ettr->plain.share()), worth_text(*ettr)});
  }
  return table;
}

std::string legend(const CoverageResult& result) {
  return fmt::format(
      "{} repetitions of {} replicas. Metrics: those whose intervals are judged, as Student's t is meant for "
      "them; of "
      "these the lowest, the median and the highest share of intervals that hold the value of all replicas "
      "together. "
      "ETTR, and ETTR with plain means. Worth: how many plain replicas a replica is worth to the interval of "
      "ETTR.",
      count_text(result.repetitions), result.replicas);
}

/// The intervals of `plan --uncertainty`. No rows if no scenario has any.
TextTable uncertainty_table(const CoverageResult& result) {
  TextTable table{.header = {"scenario, with parameter uncertainty", "hold", "of", "share"}, .rows = {}};
  for (const CoveredScenario& scenario : result.scenarios)
    for (const CoveredFigure& figure : scenario.with_uncertainty)
      table.rows.push_back({scenario.name + ": " + figure.name, std::to_string(figure.count.covered),
                            std::to_string(figure.count.given),
                            result.is_judged(figure) ? percent_text(figure.count.share()) : "not judged"});
  return table;
}

std::string uncertainty_legend(const CoverageResult& result) {
  const UncertainRepetitions& of = result.uncertain;
  return fmt::format(
      "With parameter uncertainty (plan --uncertainty): {} repetitions of {} draws of {} replicas. The "
      "interval of a mean is held to the mean of {} replicas at the true parameters, which are one more draw "
      "in each repetition. The share of runs done by the date (share_by_date) and the percentiles of the "
      "finish are held to the runs of all repetitions together.",
      count_text(of.repetitions), of.draws, of.replicas_each, of.true_replicas);
}

std::string markdown_table(const TextTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = line(table.header) + "|---|";
  for (std::size_t i = 1; i < table.header.size(); ++i) text += "---:|";
  text += "\n";
  for (const std::vector<std::string>& row : table.rows) text += line(row);
  return text;
}

/// What does not hold, in sentences.
std::vector<std::string> outside(const CoverageResult& result) {
  std::vector<std::string> out;
  for (const CoveredScenario& scenario : result.scenarios) {
    if (!scenario.problem.empty()) out.push_back(fmt::format("{}: {}", scenario.name, scenario.problem));
    for (const CoveredMetric& metric : scenario.metrics)
      if (!result.holds(metric))
        out.push_back(fmt::format("{}: {} of the intervals of {} hold {:.6g}; with plain means {}.",
                                  scenario.name, percent_text(metric.controlled.share()), metric.name,
                                  metric.value, percent_text(metric.plain.share())));
    for (const CoveredFigure& figure : scenario.with_uncertainty)
      if (!result.holds(figure))
        out.push_back(fmt::format("{}: with parameter uncertainty, {} of the intervals of {} hold the value.",
                                  scenario.name, percent_text(figure.count.share()), figure.name));
  }
  return out;
}

}  // namespace

std::string answer_line(const CoverageResult& result) {
  const CoverageResult::Judged of = result.judged();
  if (of.metrics == 0) return "No interval was judged.";
  const auto count = [](std::size_t value) { return count_text(static_cast<double>(value)); };
  std::string text =
      fmt::format("The intervals of {} of {} metrics hold the value in 95% +- {:.1f} of the repetitions.",
                  count(of.metrics - of.outside), count(of.metrics), 100 * result.allowed());
  const CoverageResult::Judged with = result.judged_with_uncertainty();
  if (with.metrics > 0)
    text += fmt::format(
        " With parameter uncertainty, those of {} of {} figures do in 95% +- {:.1f} of the repetitions.",
        count(with.metrics - with.outside), count(with.metrics), 100 * result.allowed_with_uncertainty());
  return text;
}

std::string text_report(const CoverageResult& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  if (result.interrupted) text += "Interrupted: the remaining scenarios were not run.\n";
  text += wrapped(legend(result));
  text += to_text(table_of(result));
  if (const TextTable with = uncertainty_table(result); !with.rows.empty())
    text += wrapped(uncertainty_legend(result)) + to_text(with);
  for (const std::string& each : outside(result)) text += wrapped(each);
  return text + reproduce_text(options);
}

std::string markdown(const CoverageResult& result) {
  std::string text =
      wrapped(answer_line(result)) + "\n" + wrapped(legend(result)) + "\n" + markdown_table(table_of(result));
  if (const TextTable with = uncertainty_table(result); !with.rows.empty())
    text += "\n" + wrapped(uncertainty_legend(result)) + "\n" + markdown_table(with);
  for (const std::string& each : outside(result)) text += "\n- " + each;
  return text + "\n";
}

}  // namespace gauntlet
