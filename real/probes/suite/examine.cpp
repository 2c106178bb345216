#include "real/probes/suite/examine.hpp"

#include "real/probes/command_probe.hpp"
#include "real/probes/isolated.hpp"
#include "real/probes/suite/judge_hosts.hpp"
#include "real/system/clock.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

ProbeSample take_sample(const PlannedProbe& probe, const HostExamination& how) {
  if (probe.measure.command.given())
    return run_command_probe(probe.measure.command, probe.measure.deadline, how.stop);
  const OwnProbe* own = own_probe(probe.name);
  if (own == nullptr)
    return unsupported_sample("Gauntlet has no probe of this name; give probes." + probe.name + ".command");
  return run_isolated([&] { return own->run(how.host); }, probe.measure.deadline, how.stop);
}

ProbeReport report_of(const PlannedProbe& probe, const HostExamination& how) {
  const std::int64_t began = monotonic_ns();
  ProbeReport report;
  report.name = probe.name;
  report.sample = take_sample(probe, how);
  report.expected = probe.expected;
  report.unit = metric_of(probe.name, probe.measure).unit;
  report.finding = judge_beside(probe.name, probe.measure, report.sample, how.peers);
  for (std::size_t looks = 1; looks < kLooksAtSuspects && may_be_cleared(report.finding); ++looks) {
    add_repetitions(report.sample, take_sample(probe, how));
    report.finding = judge_beside(probe.name, probe.measure, report.sample, how.peers);
  }
  report.took = Duration(monotonic_ns() - began);
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
