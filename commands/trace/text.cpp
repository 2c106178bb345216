#include "commands/trace/text.hpp"

#include "report/style.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::string_view kSeconds = "_s";
constexpr double kLogMinute =
    4.0943445622221006848;  // log 60: medians are in seconds, published ones in minutes

std::string count(std::uint64_t value) { return count_text(static_cast<double>(value)); }
std::string share(double value) { return fmt::format("{:.1f}%", 100 * value); }
std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : share(static_cast<double>(part) / static_cast<double>(whole));
}
std::string time_or_dash(std::optional<double> seconds) { return seconds ? time_text(*seconds) : "-"; }
std::string figure(std::optional<double> value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

double parameter(const LawFit& fit, std::string_view name) {
  for (const auto& [known, value] : fit.parameters)
    if (known == name) return value;
  return 0;
}

std::string shape_text(const LawFit& fit) {
  const double value = parameter(fit, "shape");
  return fit.shape_error ? fmt::format("{:.3f} +- {:.3f}", value, *fit.shape_error)
                         : fmt::format("{:.3f}", value);
}

/// "shape 0.647 +- 0.010, scale 9.6 h"
std::string parameters_text(const LawFit& fit) {
  std::string out;
  for (const auto& [name, value] : fit.parameters) {
    if (name == "mu") continue;  // the median says it
    const bool time = name.ends_with(kSeconds);
    std::string label = time ? name.substr(0, name.size() - kSeconds.size()) : name;
    if (label == "first_mean") label = "means";
    if (label == "second_mean") label = "and";
    if (!out.empty()) out += label == "and" ? " " : ", ";
    out += label + " " + (time ? time_text(value) : fmt::format("{:.3f}", value));
    const bool shape = name == "shape" || name == "sigma";
    if (shape && fit.shape_error) out += fmt::format(" +- {:.3f}", *fit.shape_error);
  }
  return out;
}

std::string zero_words(const TraceFit& result) {
  if (result.zeros == "drop") return "durations of zero are dropped (--zero-gaps drop)";
  if (result.zeros == "minute") return "durations of zero count as one minute (--zero-gaps minute)";
  return "durations of zero are kept, so only the exponential distribution can be fitted where there are any "
         "(--zero-gaps keep)";
}

std::string reading_text(const TraceSource& source) {
  std::string text = fmt::format("{} ({}): {} records read, {} used, {} rejected", source.file, source.format,
                                 count(source.read), count(source.used), count(source.rejected_count()));
  std::string reasons;
  for (const auto& [reason, times] : source.rejected)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count(times), reason);
  if (!reasons.empty()) text += " (" + reasons + ")";
  text += ".";
  const auto note = [&](std::uint64_t times, std::string_view what) {
    if (times > 0) text += fmt::format(" {} {}.", count(times), what);
  };
  if (source.out_of_order > 0)
    text += fmt::format(" {} are out of order, the first in line {}: they are sorted.",
                        count(source.out_of_order), source.first_out_of_order);
  note(source.without_node, "name no node: they count for their system only");
  note(source.without_end, "have no end: their repair time is unknown");
  note(source.duplicates, "equal another record in every field: each counts as a failure");
  note(source.other_duration, "state a Down Time that differs from their dates: the stated one is used");
  if (!source.unread_columns.empty()) {
    text += " Columns that are not read:";
    for (const std::string& column : source.unread_columns)
      text += fmt::format("{} {}", &column == &source.unread_columns.front() ? "" : ",", column);
    text += ".";
  }
  if (!source.selection.empty()) {
    std::string selection;
    for (const std::string& each : source.selection) selection += (selection.empty() ? "" : ", ") + each;
    text += fmt::format(" Selected: {}: {} records.", selection, count(source.selected));
  }
  if (!source.first.empty()) text += fmt::format(" From {} to {}.", source.first, source.last);
  text = wrapped(text);
  for (const std::string& warning : source.warnings) text += wrapped("Warning: " + warning + ".");
  return text;
}

std::string name_of(const FittedDurations& durations) { return durations.of.empty() ? "all" : durations.of; }

std::string intervals_table(const std::vector<FittedDurations>& all, const char* first) {
  TextTable table{
      .header = {first, "intervals", "zero", "mean with zeros", "mean", "CV", "best fit", "Weibull shape"},
      .rows = {}};
  for (const FittedDurations& gaps : all) {
    const LawFit* best = gaps.best ? &gaps.fits[*gaps.best] : nullptr;
    const LawFit* weibull = gaps.find("weibull");
    table.rows.push_back({name_of(gaps), count(gaps.count), share(gaps.zeros, gaps.count),
                          time_or_dash(gaps.mean_with_zeros_s), time_or_dash(gaps.mean_s),
                          figure(gaps.variation, 2), best ? best->law : "-",
                          weibull ? shape_text(*weibull) : "-"});
  }
  return to_text(table);
}

/// Every distribution, best first.
std::string distributions_table(const FittedDurations& durations) {
  TextTable table{.header = {"distribution", "parameters", "log-likelihood", "AIC", "KS", "A-D"}, .rows = {}};
  std::vector<const LawFit*> fits;
  for (const LawFit& fit : durations.fits) fits.push_back(&fit);
  std::ranges::stable_sort(fits, {}, [](const LawFit* fit) { return fit->aic; });
  for (const LawFit* fit : fits)
    table.rows.push_back({fit->law, parameters_text(*fit), fmt::format("{:.1f}", fit->log_likelihood),
                          fmt::format("{:.1f}", fit->aic), fmt::format("{:.4f}", fit->kolmogorov_smirnov),
                          figure(fit->anderson_darling, 1)});
  return to_text(table);
}

std::string repairs_table(const std::vector<FittedDurations>& all) {
  TextTable table{
      .header = {"cause", "repairs", "zero", "mean", "median", "lognormal mu", "sigma", "KS", "best fit"},
      .rows = {}};
  for (const FittedDurations& repairs : all) {
    if (repairs.count == 0) continue;
    const LawFit* lognormal = repairs.find("lognormal");
    std::string mu = "-";
    if (lognormal) mu = fmt::format("{:.3f}", parameter(*lognormal, "mu") - kLogMinute);
    table.rows.push_back({name_of(repairs), count(repairs.count), count(repairs.zeros),
                          time_or_dash(repairs.mean_s), time_or_dash(repairs.median_s), mu,
                          lognormal ? fmt::format("{:.3f}", parameter(*lognormal, "sigma")) : "-",
                          lognormal ? fmt::format("{:.3f}", lognormal->kolmogorov_smirnov) : "-",
                          repairs.best ? repairs.fits[*repairs.best].law : "-"});
  }
  return to_text(table);
}

std::string p_text(std::optional<double> p) {
  if (!p) return "-";
  return *p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", *p);
}

std::string nodes_table(const std::vector<NodeShare>& all) {
  TextTable table{
      .header = {"system", "nodes", "failures", "top 1%", "nodes", "top 5%", "nodes", "variance/mean", "p"},
      .rows = {}};
  for (const NodeShare& of : all)
    table.rows.push_back({of.system, count(of.nodes), count(of.failures), share(of.on_top_1),
                          count(of.top_nodes_1), share(of.on_top_5), count(of.top_nodes_5),
                          fmt::format("{:.2f}", of.dispersion), p_text(of.p_value)});
  return to_text(table);
}

/// Records know the nodes that failed, and no others.
std::string nodes_note(const TraceFit& result) {
  std::uint64_t unknown = 0;
  for (const NodeShare& share : result.nodes) unknown += share.stated ? 0 : 1;
  if (unknown == 0) return "";
  const std::string systems = unknown == result.nodes.size() ? "" : fmt::format(" of {} systems", unknown);
  return fmt::format(
      "  nodes{}: the nodes that failed, because the records name no others. If there are more, give their "
      "number "
      "with --nodes: the shares, variance/mean and the rates of a profile depend on it.",
      systems);
}

std::string causes_table(const std::vector<CauseShare>& causes) {
  std::uint64_t all = 0;
  for (const CauseShare& cause : causes) all += cause.failures;
  TextTable table{.header = {"cause", "failures", "share"}, .rows = {}};
  for (const CauseShare& cause : causes)
    table.rows.push_back({cause.cause, count(cause.failures), share(cause.failures, all)});
  return to_text(table);
}

}  // namespace

std::string answer_line(const TraceFit& result) {
  const FittedDurations& gaps = result.systems.back();
  const std::size_t systems = result.systems.size() > 1 ? result.systems.size() - 1 : 1;
  std::uint64_t nodes = 0;
  for (const NodeShare& share : result.nodes) nodes += share.nodes;
  std::string text = systems > 1 ? fmt::format("{} systems", systems) : "System " + gaps.of;
  text += fmt::format(": {}", counted(static_cast<double>(gaps.records), "failure"));
  if (nodes > 0) text += fmt::format(" of {}", counted(static_cast<double>(nodes), "node"));
  if (gaps.mean_with_zeros_s && *gaps.mean_with_zeros_s > 0)
    text += fmt::format(", one every {}{}", time_text(*gaps.mean_with_zeros_s),
                        result.by_node ? " per node"
                        : systems > 1  ? " per system"
                                       : "");
  if (!gaps.best) return text + "; too few to fit a distribution.";
  text += fmt::format("; the best fit is {}", gaps.fits[*gaps.best].law);
  if (const LawFit* weibull = gaps.find("weibull"))
    text += fmt::format("; Weibull shape {}", shape_text(*weibull));
  return text + ".";
}

std::string text_report(const TraceFit& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  text += reading_text(result.source);
  for (const std::string& warning : result.warnings) text += wrapped("Warning: " + warning + ".");
  text += wrapped(fmt::format("Intervals are times between failures of one {}; {}.",
                              result.by_node ? "node" : "system", zero_words(result)));
  text += heading(options, "Times between failures") + intervals_table(result.systems, "system");
  text += wrapped(
      "  mean with zeros: intervals of zero included. CV: standard deviation over mean. Best fit: by AIC, of "
      "five "
      "distributions.");
  const FittedDurations& last = result.systems.back();
  if (!last.fits.empty()) {
    text += heading(options, fmt::format("Distributions of these times, {}",
                                         last.of.empty() ? "all systems" : "system " + last.of)) +
            distributions_table(last);
    text += wrapped(
        "  KS, A-D: the distances of Kolmogorov and Smirnov, and of Anderson and Darling. The parameters "
        "come "
        "from the same data, so the usual critical values do not apply.");
  }
  if (result.by_cause.size() > 1)
    text +=
        heading(options, "Times between failures of one cause") + intervals_table(result.by_cause, "cause");
  if (result.causes.size() > 1) text += heading(options, "Causes") + causes_table(result.causes);
  text += heading(options, "Repair times (mu: of the logarithm of minutes)") + repairs_table(result.repairs);
  if (!result.nodes.empty()) {
    text += heading(options, "Failures by node: share of the failures on the nodes that failed most") +
            nodes_table(result.nodes);
    text += wrapped(
        "  variance/mean: of the failures per node. It is 1 where all nodes fail alike; p is the probability "
        "of this "
        "value or more in that case.");
    if (const std::string note = nodes_note(result); !note.empty()) text += wrapped(note);
  }
  return text + reproduce_text(options);
}

std::string text_report(const TraceImport& result, const ReportOptions& options) {
  std::string text = headline(
      options, fmt::format("{}: {} of {}, for {} hosts.", result.out,
                           counted(static_cast<double>(result.written), "failure"),
                           counted(static_cast<double>(result.causes.size()), "cause"), count(result.hosts)));
  text += reading_text(result.source);
  if (!result.origin.empty()) text += wrapped(fmt::format("Times count from {}.", result.origin));
  if (result.without_node > 0)
    text +=
        wrapped(fmt::format("{}: left out, because no host of a scenario matches them.",
                            counted(static_cast<double>(result.without_node), "record") + " without a node"));
  if (result.zero_repairs > 0)
    text += wrapped(fmt::format("{} of zero: left out, because a fault of a scenario lasts longer than zero.",
                                counted(static_cast<double>(result.zero_repairs), "repair time")));
  text += heading(options, "Causes") + causes_table(result.causes);
  text += wrapped("\nTo use it: write extends = \"" + result.out +
                  "\" in a scenario with this number of hosts, spares included. Every replica has these same "
                  "failures, so "
                  "intervals cover only the other random draws. `gauntlet trace fit` gives distributions, "
                  "from which each "
                  "replica draws its own failures.");
  return text;
}

}  // namespace gauntlet
