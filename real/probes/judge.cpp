#include "real/probes/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gauntlet {
namespace {

struct JudgedPart {
  const PartSample* sample;
  Spread spread;
  ProbeVerdict verdict = ProbeVerdict::unjudged;
  std::string compared;
  bool beside_peers = false;
};

std::string number_of(double value, const std::string& unit) {
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

bool is_worse(double a, double b, Better better) { return better == Better::higher ? a < b : a > b; }

double best_of(const Spread& spread, Better better) {
  return better == Better::higher ? spread.high : spread.low;
}

/// Everything that the part is compared with.
std::vector<Spread> peers_of(const JudgedPart& part, const std::vector<JudgedPart>& parts,
                             const std::vector<Spread>& other_hosts) {
  std::vector<Spread> out = other_hosts;
  for (const JudgedPart& other : parts)
    if (&other != &part && other.sample->kind == part.sample->kind) out.push_back(other.spread);
  return out;
}

/// The best repetition of a part is held against it: a share of the peers' best ones. Rates of links scatter, so that the best repetitions
/// of healthy ones differ by more than the share allows: there it is no better than the peers' median ones.
double line_of(const PartSample& part, const std::vector<Spread>& peers, double of_peers, Better better) {
  std::vector<double> bests, medians;
  for (const Spread& each : peers) {
    bests.push_back(best_of(each, better));
    medians.push_back(each.median);
  }
  const double best = median_of(std::move(bests)), usual = median_of(std::move(medians));
  const double line = better == Better::higher ? of_peers * best : best / of_peers;
  if (part.neighbour.empty()) return line;
  return better == Better::higher ? std::min(line, usual) : std::max(line, usual);
}

void judge_absolute(JudgedPart& part, const ProbeMetric& metric, const ProbeThreshold& threshold) {
  const double least = threshold.least_of(part.sample->kind);
  if (least == -kInfinity && threshold.at_most == kInfinity) return;
  const double value = part.spread.median;
  const bool below = value < least, beyond = below || value > threshold.at_most;
  part.verdict = !beyond                                ? ProbeVerdict::pass
                 : threshold.breach == Breach::degraded ? ProbeVerdict::degraded
                                                        : ProbeVerdict::fail;
  const bool shows_least = below || (!beyond && least > -kInfinity);
  part.compared = shows_least ? "at least " + number_of(least, metric.unit)
                              : "at most " + number_of(threshold.at_most, metric.unit);
}

void judge_relative(JudgedPart& part, const ProbeMetric& metric, const ProbeThreshold& threshold,
                    const std::vector<Spread>& peers) {
  if (threshold.of_peers <= 0 || peers.empty() || part.verdict > ProbeVerdict::inconclusive) return;
  const bool higher = metric.better == Better::higher;
  const double line = line_of(*part.sample, peers, threshold.of_peers, metric.better);
  const bool bad = is_worse(best_of(part.spread, metric.better), line, metric.better);
  if (!bad && part.verdict == ProbeVerdict::pass) return;  // by an absolute line, which says more
  const bool excused = bad && !part.sample->excuse.empty();
  part.verdict = excused ? ProbeVerdict::inconclusive : bad ? ProbeVerdict::degraded : ProbeVerdict::pass;
  part.beside_peers = true;
  part.compared =
      fmt::format("best repetition {} {}, from the median of {} {}", higher ? "at least" : "at most",
                  number_of(line, metric.unit), peers.size(), peers.size() == 1 ? "peer" : "peers");
}

/// What to give where there was nothing to compare with.
std::string advice(const std::string& probe, const ProbeMetric& metric, const ProbeThreshold& threshold) {
  return fmt::format("nothing to compare with; give probes.{}.threshold.{}{}{}", probe,
                     metric.better == Better::higher ? "at_least" : "at_most",
                     metric.unit.empty() ? "" : ", in " + metric.unit,
                     threshold.of_peers > 0 ? ", or the reports of other hosts" : "");
}

/// What bad links say of others than this host.
struct BadLinks {
  std::string suspects;   // neighbours that are to blame
  std::string undecided;  // why it is not known who is
};

/// Takes the links to suspects from `parts`: they say nothing of this host.
BadLinks look_at_links(std::vector<JudgedPart>& parts) {
  std::set<std::string> all, bad;
  for (const JudgedPart& part : parts) {
    if (part.sample->neighbour.empty()) continue;
    all.insert(part.sample->neighbour);
    if (part.verdict > ProbeVerdict::inconclusive) bad.insert(part.sample->neighbour);
  }
  if (bad.empty()) return {};
  const std::string named = fmt::format("{}", fmt::join(bad, ", "));
  if (all.size() == 1)
    return {
        .suspects = "",
        .undecided = fmt::format("the link is bad by this host or by {}; name a second neighbour", named)};
  if (2 * bad.size() > all.size()) return {};
  std::erase_if(parts, [&](const JudgedPart& part) { return bad.contains(part.sample->neighbour); });
  return {
      .suspects = fmt::format("suspect {}: {} of {} links from here are bad", named, bad.size(), all.size()),
      .undecided = ""};
}

std::string why_bad(const JudgedPart& part, const ProbeThreshold& threshold) {
  std::string why = part.sample->remark;
  if (part.verdict != ProbeVerdict::pass && !threshold.source.empty())
    why += (why.empty() ? "" : "; ") + ("threshold: " + threshold.source);
  return why;
}

std::vector<JudgedPart> judge_parts(const ProbeMetric& metric, const ProbeSample& sample,
                                    const ProbeThreshold& threshold, const std::vector<Spread>& peers) {
  std::vector<JudgedPart> parts;
  for (const PartSample& part : sample.parts)
    parts.push_back({.sample = &part, .spread = spread_of(part.values), .compared = ""});
  for (JudgedPart& part : parts) judge_absolute(part, metric, threshold);
  for (JudgedPart& part : parts) judge_relative(part, metric, threshold, peers_of(part, parts, peers));
  return parts;
}

ProbeFinding finding_of(const JudgedPart& worst, const std::string& probe, const ProbeMetric& metric,
                        const ProbeThreshold& threshold) {
  return {.verdict = worst.verdict,
          .part = worst.sample->part,
          .metric = worst.spread,
          .compared = worst.compared,
          .beside_peers = worst.beside_peers,
          .why = worst.verdict == ProbeVerdict::pass           ? ""
                 : worst.verdict == ProbeVerdict::unjudged     ? advice(probe, metric, threshold)
                 : worst.verdict == ProbeVerdict::inconclusive ? worst.sample->excuse
                                                               : why_bad(worst, threshold)};
}

}  // namespace

ProbeFinding judge(const std::string& probe, const ProbeMetric& metric, const ProbeSample& sample,
                   const ProbeThreshold& threshold, const std::vector<Spread>& peers) {
  if (!sample.unsupported.empty())
    return {.verdict = ProbeVerdict::unsupported,
            .part = "",
            .metric = {},
            .compared = "",
            .why = sample.unsupported};
  std::vector<JudgedPart> parts = judge_parts(metric, sample, threshold, peers);
  const BadLinks links = look_at_links(parts);
  const auto worst =
      std::max_element(parts.begin(), parts.end(), [&](const JudgedPart& a, const JudgedPart& b) {
        if (a.verdict != b.verdict) return a.verdict < b.verdict;
        return is_worse(b.spread.median, a.spread.median, metric.better);
      });
  ProbeFinding finding{.verdict = ProbeVerdict::pass, .part = "", .metric = {}, .compared = "", .why = ""};
  if (worst != parts.end()) finding = finding_of(*worst, probe, metric, threshold);
  if (!links.suspects.empty()) {
    finding.why = links.suspects;
    finding.names_suspects = true;
  }
  const std::string& undecided = links.undecided.empty() ? sample.inconclusive : links.undecided;
  if (!sample.errors.empty()) {
    finding.verdict = ProbeVerdict::fail;
    finding.why = sample.errors.front();
    if (sample.errors.size() > 1) finding.why += fmt::format(" ({} more)", sample.errors.size() - 1);
  } else if (!links.undecided.empty() ||
             (!undecided.empty() && finding.verdict <= ProbeVerdict::inconclusive)) {
    finding.verdict = ProbeVerdict::inconclusive;
    finding.why = undecided;
  }
  return finding;
}

}  // namespace gauntlet
