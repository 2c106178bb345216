// From what a probe measured to what it says of the host: a pure function.
#pragma once

#include "models/world/probe_measure.hpp"
#include "real/probes/sample.hpp"
#include "real/probes/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What a metric is, whatever host it is measured on.
struct ProbeMetric {
  std::string unit;
  Better better = Better::higher;
};

struct ProbeFinding {
  ProbeVerdict verdict = ProbeVerdict::inconclusive;
  std::string part;              // the worst part of the host; empty: the host as a whole
  std::optional<Spread> metric;  // of that part
  std::string compared;          // what it was compared with; empty: with nothing
  bool beside_peers = false;     // and not with an absolute line
  bool names_suspects = false;   // it passes, and neighbours are suspects
  std::string why;               // unless it passes; also then where a neighbour is a suspect
};

/// `peers`: the worst parts of other hosts; empty: none are known. `probe`: its name, for advice.
///
/// - What cannot look is unsupported; errors fail.
/// - A part whose median is beyond an absolute line gives `threshold.breach`.
/// - A part is degraded whose best repetition is worse than `of_peers` of the median of its peers' best repetitions, and worse than
///   what they usually reach, the median of their medians. Peers are the other parts of its kind, and the parts of other hosts. The
///   best repetition: a moment in which something else ran blames nobody.
/// - Without a line and without a peer, a metric is unjudged.
/// - Links to neighbours: where those to more than half of the neighbours are bad, the host is. Where fewer are, these neighbours are
///   suspects, and the host passes by its other links. Of a single neighbour nobody can say which of the two it is.
ProbeFinding judge(const std::string& probe, const ProbeMetric& metric, const ProbeSample& sample,
                   const ProbeThreshold& threshold, const std::vector<Spread>& peers = {});

}  // namespace gauntlet
