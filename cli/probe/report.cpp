#include "cli/probe/report.hpp"

#include "core/time.hpp"
#include "real/system/shown.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

std::vector<const ProbeReport*> worst_first(const ExaminedHost& host) {
  std::vector<const ProbeReport*> out;
  for (const ProbeReport& report : host.reports) out.push_back(&report);
  std::stable_sort(out.begin(), out.end(), [](const ProbeReport* a, const ProbeReport* b) {
    return a->finding.verdict > b->finding.verdict;
  });
  return out;
}

std::string names_of(const ExaminedHost& host, ProbeVerdict verdict) {
  std::string out;
  for (const ProbeReport& report : host.reports)
    if (report.finding.verdict == verdict) out += (out.empty() ? "" : ", ") + report.name;
  return out;
}

std::string answer_of(const ExaminedHost& host) {
  const auto count = [&](ProbeVerdict verdict) {
    return std::count_if(host.reports.begin(), host.reports.end(),
                         [&](const ProbeReport& report) { return report.finding.verdict == verdict; });
  };
  const auto probes = host.reports.size();
  const auto passed = count(ProbeVerdict::pass);
  switch (verdict_of(host.reports)) {
    case ProbeVerdict::fail:
      return fmt::format("{} fails {}", host.name, names_of(host, ProbeVerdict::fail));
    case ProbeVerdict::degraded:
      return fmt::format("{} is degraded by {}", host.name, names_of(host, ProbeVerdict::degraded));
    case ProbeVerdict::pass:
      return fmt::format("{} passes {} of {} probes; {} unjudged, {} unsupported", host.name, passed, probes,
                         count(ProbeVerdict::unjudged), count(ProbeVerdict::unsupported));
    case ProbeVerdict::inconclusive:
    case ProbeVerdict::unjudged:
    case ProbeVerdict::unsupported:
      return fmt::format(
          "nothing wrong was found on {}; {} of {} probes passed, {} inconclusive, {} unjudged, {} "
          "unsupported",
          host.name, passed, probes, count(ProbeVerdict::inconclusive), count(ProbeVerdict::unjudged),
          count(ProbeVerdict::unsupported));
  }
  return {};
}

std::vector<std::string> row_of(const ProbeReport& report) {
  const ProbeFinding& finding = report.finding;
  std::string measured = "-", range = "-";
  if (finding.metric) {
    const Spread& spread = *finding.metric;
    measured = fmt::format("{:.4g} {}", spread.median, report.unit);
    if (spread.n > 1) range = fmt::format("{:.4g} to {:.4g}", spread.low, spread.high);
  }
  return {report.name,
          std::string(name_of(finding.verdict)),
          finding.part.empty() ? "-" : printable(finding.part),
          printable(measured),
          range,
          finding.compared.empty() ? "-" : printable(finding.compared),
          fmt::format("{:.2f} s", to_seconds(report.took)),
          fmt::format("{:.2f} s", to_seconds(report.expected))};
}

}  // namespace

std::string probe_report(const ExaminedHost& host) {
  const std::vector<const ProbeReport*> reports = worst_first(host);
  TextTable table;
  table.header = {"probe", "verdict",       "worst part", "median metric",
                  "range", "compared with", "took",       "in simulations"};
  std::string why;
  for (const ProbeReport* report : reports) {
    table.rows.push_back(row_of(*report));
    if (report->finding.verdict != ProbeVerdict::pass || !report->finding.why.empty())
      why +=
          fmt::format("  {}: {}\n", report->name,
                      report->finding.why.empty() ? "beyond its threshold" : printable(report->finding.why));
  }
  std::string text = answer_of(host) + "\n";
  if (!reports.empty()) text += "\n" + to_text(table);
  if (!why.empty()) text += "\nWhy\n" + why;
  return text;
}

}  // namespace gauntlet
