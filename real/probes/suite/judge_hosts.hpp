// One probe on several hosts: each is judged beside the others. Pure functions.
#pragma once

#include "models/world/probe_measure.hpp"
#include "real/probes/judge.hpp"
#include "real/probes/peers.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// How probes are carried out, by name. One that is not there is one of Gauntlet's own, without a threshold.
using ProbeMeasures = std::map<std::string, ProbeMeasure>;
ProbeMeasure measure_of(const ProbeMeasures& probes, const std::string& probe);

/// The unit and the direction of a probe's metric.
ProbeMetric metric_of(const std::string& probe, const ProbeMeasure& measure);

/// Whether two hosts carry it out together.
bool needs_neighbour(const std::string& probe, const ProbeMeasure& measure);

/// Facts of a probe that has them alone become its metric: how many differ from those of most peers.
ProbeFinding judge_beside(const std::string& probe, const ProbeMeasure& measure, ProbeSample& sample,
                          const std::vector<PeerReport>& peers);

/// By host: what each sample says, compared with those of the others and with `more_peers`. `samples`: by host.
std::map<std::uint32_t, ProbeFinding> judge_hosts(const std::string& probe, const ProbeMeasure& measure,
                                                  std::map<std::uint32_t, ProbeSample> samples,
                                                  const std::vector<PeerReport>& more_peers = {});

/// The host should not run a job.
constexpr bool is_bad(ProbeVerdict verdict) {
  return verdict == ProbeVerdict::degraded || verdict == ProbeVerdict::fail;
}

// A host that is worse than its peers is looked at so often, and its best repetition counts: a disk, or a machine that hosts share, may
// have been busy the first time.
inline constexpr std::size_t kLooksAtSuspects = 3;

/// Whether a further look may clear the host, or a neighbour.
constexpr bool may_be_cleared(const ProbeFinding& finding) {
  return finding.beside_peers && (finding.verdict == ProbeVerdict::degraded || finding.names_suspects);
}

}  // namespace gauntlet
