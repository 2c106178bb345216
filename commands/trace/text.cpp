#include "commands/trace/text.hpp"

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

std::string painted(const ReportOptions& options, const char* code, std::string_view text) {
  if (options.colour == Colour::never) return std::string(text) + "\n";
  return fmt::format("\x1b[{}m{}\x1b[0m\n", code, text);
}
std::string heading(const ReportOptions& options, std::string_view text) {
  return "\n" + painted(options, "36", text);
}

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
  return "durations of zero are kept, so that where there are any no law but the exponential can be fitted "
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
    text += fmt::format(" {} out of order, the first in line {}: put in their place.",
                        count(source.out_of_order), source.first_out_of_order);
  note(source.without_node, "name no node: they count for their system");
  note(source.without_end, "have no end: their repair time is not known");
  note(source.duplicates, "are the same in every field as another record: kept, each is a failure");
  note(source.other_duration, "state another Down Time than their dates differ by: it is taken");
  if (!source.unread_columns.empty()) {
    text += " Columns that were not read:";
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

std::string gaps_table(const std::vector<FittedDurations>& all, const char* first) {
  TextTable table{.header = {first, "gaps", "zero", "mean, all", "mean", "CV", "best law", "Weibull shape"},
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

/// Every law, best first.
std::string laws_table(const FittedDurations& durations) {
  TextTable table{.header = {"law", "parameters", "log-lik.", "AIC", "KS", "A-D"}, .rows = {}};
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
      .header = {"cause", "repairs", "zero", "mean", "median", "lognormal mu", "sigma", "KS", "best law"},
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
      "  nodes{}: those that failed, as the records name no others. Where there are more, say how many with "
      "--nodes: shares, variance/mean and the rates of a profile depend on it.",
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
                        result.by_node ? " of a node"
                        : systems > 1  ? " of a system"
                                       : "");
  if (!gaps.best) return text + "; too few for a law.";
  text += fmt::format("; the best law is {}", gaps.fits[*gaps.best].law);
  if (const LawFit* weibull = gaps.find("weibull"))
    text += fmt::format("; Weibull shape {}", shape_text(*weibull));
  return text + ".";
}

std::string text_report(const TraceFit& result, const ReportOptions& options) {
  std::string text = painted(options, "1", answer_line(result));
  text += reading_text(result.source);
  for (const std::string& warning : result.warnings) text += wrapped("Warning: " + warning + ".");
  text += wrapped(fmt::format("Gaps are times between failures of one {}; {}.",
                              result.by_node ? "node" : "system", zero_words(result)));
  text += heading(options, "Times between failures") + gaps_table(result.systems, "system");
  text += wrapped(
      "  mean, all: with those of zero. CV: standard deviation over mean. Best: by AIC, of five laws.");
  const FittedDurations& last = result.systems.back();
  if (!last.fits.empty()) {
    text += heading(options, fmt::format("Laws of these times, {}",
                                         last.of.empty() ? "all systems" : "system " + last.of)) +
            laws_table(last);
    text += wrapped(
        "  KS, A-D: the distances of Kolmogorov and Smirnov, and of Anderson and Darling. The parameters "
        "come from the "
        "same data, so that their tables do not hold.");
  }
  if (result.by_cause.size() > 1)
    text += heading(options, "Times between failures of one cause") + gaps_table(result.by_cause, "cause");
  if (result.causes.size() > 1) text += heading(options, "Causes") + causes_table(result.causes);
  text += heading(options, "Repairs (mu: of the logarithm of minutes)") + repairs_table(result.repairs);
  if (!result.nodes.empty()) {
    text += heading(options, "Who fails: share of the failures on the nodes that failed most") +
            nodes_table(result.nodes);
    text += wrapped(
        "  variance/mean: of a node's failures; 1 where all nodes fail alike, and p how likely this much is "
        "then.");
    if (const std::string note = nodes_note(result); !note.empty()) text += wrapped(note);
  }
  if (!options.command.empty()) text += "\nAgain: " + options.command + "\n";
  return text;
}

std::string text_report(const TraceImport& result, const ReportOptions& options) {
  std::string text =
      painted(options, "1",
              fmt::format("{}: {} of {}, for {} hosts.", result.out,
                          counted(static_cast<double>(result.written), "failure"),
                          counted(static_cast<double>(result.causes.size()), "cause"), count(result.hosts)));
  text += reading_text(result.source);
  if (!result.origin.empty()) text += wrapped(fmt::format("Times count from {}.", result.origin));
  if (result.without_node > 0)
    text +=
        wrapped(fmt::format("{}: left out, since no host stands for them.",
                            counted(static_cast<double>(result.without_node), "record") + " without a node"));
  if (result.zero_repairs > 0)
    text += wrapped(fmt::format("{} of zero: left out, since no fault of a scenario lasts no time.",
                                counted(static_cast<double>(result.zero_repairs), "repair time")));
  text += heading(options, "Causes") + causes_table(result.causes);
  text += wrapped(
      "\nTo use it: extends = \"" + result.out +
      "\" in a scenario of so many hosts, spares included. Every replica meets these same failures, so that "
      "intervals cover only what else is drawn; trace fit gives laws that are drawn anew.");
  return text;
}

}  // namespace gauntlet
