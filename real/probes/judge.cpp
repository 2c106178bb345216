#include "real/probes/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

struct JudgedPart {
  const PartSample* sample;
  Spread spread;
  ProbeVerdict verdict = ProbeVerdict::inconclusive;
  std::string compared;
};

std::string number_of(double value, const std::string& unit) {
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

bool is_worse(double a, double b, Better better) { return better == Better::higher ? a < b : a > b; }

/// The medians of everything that the part is compared with.
std::vector<double> peers_of(const JudgedPart& part, const std::vector<JudgedPart>& parts,
                             std::vector<double> other_hosts) {
  for (const JudgedPart& other : parts)
    if (&other != &part && other.sample->kind == part.sample->kind)
      other_hosts.push_back(other.spread.median);
  return other_hosts;
}

void judge_absolute(JudgedPart& part, const ProbeMetric& metric, const ProbeThreshold& threshold) {
  if (!threshold.is_absolute()) return;
  const double value = part.spread.median;
  const bool below = value < threshold.at_least, beyond = below || value > threshold.at_most;
  part.verdict = !beyond                                ? ProbeVerdict::pass
                 : threshold.breach == Breach::degraded ? ProbeVerdict::degraded
                                                        : ProbeVerdict::fail;
  const bool shows_least = below || (!beyond && threshold.at_least > -kInfinity);
  part.compared = shows_least ? "at least " + number_of(threshold.at_least, metric.unit)
                              : "at most " + number_of(threshold.at_most, metric.unit);
}

void judge_relative(JudgedPart& part, const ProbeMetric& metric, const ProbeThreshold& threshold,
                    const std::vector<double>& peers) {
  if (threshold.of_peers <= 0 || peers.empty() || part.verdict > ProbeVerdict::inconclusive) return;
  const bool higher = metric.better == Better::higher;
  const double median = median_of(peers);
  const double line = higher ? median * threshold.of_peers : median / threshold.of_peers;
  const bool bad = is_worse(higher ? part.spread.high : part.spread.low, line, metric.better);
  if (!bad && part.verdict == ProbeVerdict::pass) return;  // by an absolute line, which says more
  part.verdict = bad ? ProbeVerdict::degraded : ProbeVerdict::pass;
  part.compared =
      fmt::format("{} {}, by the median of {} {}", higher ? "at least" : "at most",
                  number_of(line, metric.unit), peers.size(), peers.size() == 1 ? "peer" : "peers");
}

/// What to give where there was nothing to compare with.
std::string advice(const std::string& probe, const ProbeMetric& metric, const ProbeThreshold& threshold) {
  return fmt::format("nothing to compare with; give probes.{}.threshold.{}{}{}", probe,
                     metric.better == Better::higher ? "at_least" : "at_most",
                     metric.unit.empty() ? "" : ", in " + metric.unit,
                     threshold.of_peers > 0 ? ", or the reports of other hosts" : "");
}

std::string why_bad(const JudgedPart& part, const ProbeThreshold& threshold) {
  std::string why = part.sample->remark;
  if (part.verdict != ProbeVerdict::pass && !threshold.source.empty())
    why += (why.empty() ? "" : "; ") + ("threshold: " + threshold.source);
  return why;
}

}  // namespace

ProbeFinding judge(const std::string& probe, const ProbeMetric& metric, const ProbeSample& sample,
                   const ProbeThreshold& threshold, const std::vector<double>& peers) {
  if (!sample.unsupported.empty())
    return {.verdict = ProbeVerdict::unsupported,
            .part = "",
            .metric = {},
            .compared = "",
            .why = sample.unsupported};
  std::vector<JudgedPart> parts;
  for (const PartSample& part : sample.parts)
    parts.push_back({.sample = &part, .spread = spread_of(part.values), .compared = ""});
  for (JudgedPart& part : parts) judge_absolute(part, metric, threshold);
  for (JudgedPart& part : parts) judge_relative(part, metric, threshold, peers_of(part, parts, peers));
  const auto worst =
      std::max_element(parts.begin(), parts.end(), [&](const JudgedPart& a, const JudgedPart& b) {
        if (a.verdict != b.verdict) return a.verdict < b.verdict;
        return is_worse(b.spread.median, a.spread.median, metric.better);
      });
  ProbeFinding finding{.verdict = ProbeVerdict::pass, .part = "", .metric = {}, .compared = "", .why = ""};
  if (worst != parts.end()) {
    finding = {.verdict = worst->verdict,
               .part = worst->sample->part,
               .metric = worst->spread,
               .compared = worst->compared,
               .why = worst->verdict == ProbeVerdict::inconclusive ? advice(probe, metric, threshold)
                      : worst->verdict == ProbeVerdict::pass       ? ""
                                                                   : why_bad(*worst, threshold)};
  }
  if (!sample.errors.empty()) {
    finding.verdict = ProbeVerdict::fail;
    finding.why = sample.errors.front();
    if (sample.errors.size() > 1) finding.why += fmt::format(" ({} more)", sample.errors.size() - 1);
  } else if (!sample.inconclusive.empty() && finding.verdict <= ProbeVerdict::inconclusive) {
    finding.verdict = ProbeVerdict::inconclusive;
    finding.why = sample.inconclusive;
  }
  return finding;
}

}  // namespace gauntlet
