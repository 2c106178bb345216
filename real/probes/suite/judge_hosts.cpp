#include "real/probes/suite/judge_hosts.hpp"

#include "real/probes/host/probe.hpp"

#include <utility>

namespace gauntlet {
namespace {

/// The metric of a probe that has facts alone: how many differ from those of most peers. False where no peer has any.
bool compare_facts(const std::string& probe, const std::vector<PeerReport>& peers, ProbeSample& sample) {
  if (sample.facts.empty() || !sample.parts.empty() || !sample.unsupported.empty() ||
      !sample.inconclusive.empty())
    return true;
  std::vector<FactTable> theirs;
  for (const PeerReport& peer : peers)
    if (const auto found = peer.facts.find(probe); found != peer.facts.end()) theirs.push_back(found->second);
  if (theirs.empty()) return false;
  PartSample part;
  const auto differing = facts_unlike_peers({sample.facts.begin(), sample.facts.end()}, theirs);
  part.values = {static_cast<double>(differing.size())};
  for (const DifferingFact& fact : differing)
    part.remark += (part.remark.empty() ? "" : "; ") + to_text(fact);
  sample.parts.push_back(std::move(part));
  return true;
}

std::vector<Spread> metrics_of(const std::string& probe, const std::vector<PeerReport>& peers) {
  std::vector<Spread> out;
  for (const PeerReport& peer : peers)
    if (const auto found = peer.metrics.find(probe); found != peer.metrics.end())
      out.push_back(found->second);
  return out;
}

}  // namespace

ProbeMeasure measure_of(const ProbeMeasures& probes, const std::string& probe) {
  const auto found = probes.find(probe);
  return found == probes.end() ? ProbeMeasure{} : found->second;
}

ProbeMetric metric_of(const std::string& probe, const ProbeMeasure& measure) {
  if (measure.command.given()) return {.unit = measure.command.unit, .better = measure.command.better};
  const OwnProbe* own = own_probe(probe);
  return own == nullptr ? ProbeMetric{} : own->metric;
}

bool needs_neighbour(const std::string& probe, const ProbeMeasure& measure) {
  const OwnProbe* own = own_probe(probe);
  return !measure.command.given() && own != nullptr && own->needs_neighbour;
}

ProbeFinding judge_beside(const std::string& probe, const ProbeMeasure& measure, ProbeSample& sample,
                          const std::vector<PeerReport>& peers) {
  if (!compare_facts(probe, peers, sample) && sample.errors.empty())
    return {.verdict = ProbeVerdict::unjudged,
            .part = "",
            .metric = {},
            .compared = "",
            .why = "nothing to compare with; give the reports of other hosts"};
  return judge(probe, metric_of(probe, measure), sample, measure.threshold, metrics_of(probe, peers));
}

std::map<std::uint32_t, ProbeFinding> judge_hosts(const std::string& probe, const ProbeMeasure& measure,
                                                  std::map<std::uint32_t, ProbeSample> samples,
                                                  const std::vector<PeerReport>& more_peers) {
  const ProbeMetric metric = metric_of(probe, measure);
  std::map<std::uint32_t, PeerReport> reports;
  for (const auto& [host, sample] : samples) {
    PeerReport& report = reports[host];
    report.facts[probe] = {sample.facts.begin(), sample.facts.end()};
    if (const ProbeFinding alone = judge(probe, metric, sample, measure.threshold); alone.metric)
      report.metrics[probe] = *alone.metric;
  }
  std::map<std::uint32_t, ProbeFinding> findings;
  for (auto& [host, sample] : samples) {
    std::vector<PeerReport> others = more_peers;
    for (const auto& [other, report] : reports)
      if (other != host) others.push_back(report);
    findings.emplace(host, judge_beside(probe, measure, sample, others));
  }
  return findings;
}

}  // namespace gauntlet
