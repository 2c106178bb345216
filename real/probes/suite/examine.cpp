#include "real/probes/suite/examine.hpp"

#include "real/probes/command_probe.hpp"
#include "real/probes/isolated.hpp"
#include "real/system/clock.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

ProbeMetric metric_of(const PlannedProbe& probe) {
  if (probe.measure.command.given())
    return {.unit = probe.measure.command.unit, .better = probe.measure.command.better};
  const OwnProbe* own = own_probe(probe.name);
  return own == nullptr ? ProbeMetric{} : own->metric;
}

ProbeSample take_sample(const PlannedProbe& probe, const HostExamination& how) {
  if (probe.measure.command.given())
    return run_command_probe(probe.measure.command, probe.measure.deadline, how.stop);
  const OwnProbe* own = own_probe(probe.name);
  if (own == nullptr)
    return unsupported_sample("Gauntlet has no probe of this name; give probes." + probe.name + ".command");
  return run_isolated([&] { return own->run(how.host); }, probe.measure.deadline, how.stop);
}

/// The metric of a probe that has facts alone: how many differ from those of most peers.
void compare_facts(const std::string& probe, const std::vector<PeerReport>& peers, ProbeSample& sample) {
  if (sample.facts.empty() || !sample.parts.empty() || !sample.unsupported.empty()) return;
  std::vector<FactTable> theirs;
  for (const PeerReport& peer : peers)
    if (const auto found = peer.facts.find(probe); found != peer.facts.end()) theirs.push_back(found->second);
  if (theirs.empty()) {
    sample.inconclusive = "nothing to compare with; give the reports of other hosts";
    return;
  }
  PartSample part;
  const auto differing = facts_unlike_peers({sample.facts.begin(), sample.facts.end()}, theirs);
  part.values = {static_cast<double>(differing.size())};
  for (const DifferingFact& fact : differing)
    part.remark += (part.remark.empty() ? "" : "; ") + to_text(fact);
  sample.parts.push_back(std::move(part));
}

std::vector<double> medians_of(const std::string& probe, const std::vector<PeerReport>& peers) {
  std::vector<double> out;
  for (const PeerReport& peer : peers)
    if (const auto found = peer.medians.find(probe); found != peer.medians.end())
      out.push_back(found->second);
  return out;
}

ProbeReport report_of(const PlannedProbe& probe, const HostExamination& how) {
  const std::int64_t began = monotonic_ns();
  ProbeReport report;
  report.name = probe.name;
  report.sample = take_sample(probe, how);
  report.took = Duration(monotonic_ns() - began);
  report.expected = probe.expected;
  const ProbeMetric metric = metric_of(probe);
  report.unit = metric.unit;
  compare_facts(probe.name, how.peers, report.sample);
  report.finding =
      judge(probe.name, metric, report.sample, probe.measure.threshold, medians_of(probe.name, how.peers));
  return report;
}

}  // namespace

std::vector<ProbeReport> examine_host(const std::vector<PlannedProbe>& suite, const HostExamination& how) {
  std::vector<ProbeReport> reports;
  for (const PlannedProbe& probe : suite) {
    if (how.begins) how.begins(probe);
    ProbeReport report = report_of(probe, how);
    if (how.stop != nullptr && *how.stop) break;
    reports.push_back(std::move(report));
  }
  return reports;
}

ProbeVerdict verdict_of(const std::vector<ProbeReport>& reports) {
  const auto has = [&](ProbeVerdict verdict) {
    return std::any_of(reports.begin(), reports.end(),
                       [&](const ProbeReport& report) { return report.finding.verdict == verdict; });
  };
  for (const ProbeVerdict bad : {ProbeVerdict::fail, ProbeVerdict::degraded, ProbeVerdict::inconclusive})
    if (has(bad)) return bad;
  return has(ProbeVerdict::pass) ? ProbeVerdict::pass : ProbeVerdict::inconclusive;
}

}  // namespace gauntlet
