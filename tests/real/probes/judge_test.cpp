// From samples to verdicts.
#include "real/probes/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::HasSubstr;

const ProbeMetric kRate{.unit = "GB/s", .better = Better::higher};
const ProbeMetric kLatency{.unit = "ms", .better = Better::lower};

ProbeSample sample_of(std::vector<double> values) {
  ProbeSample sample;
  sample.parts.push_back({.part = "", .kind = "", .values = std::move(values), .remark = ""});
  return sample;
}

/// Part i has the values i-th in the list.
ProbeSample parts_of(const std::vector<std::vector<double>>& all) {
  ProbeSample sample;
  for (std::size_t i = 0; i < all.size(); ++i)
    sample.parts.push_back(
        {.part = "core " + std::to_string(i), .kind = "", .values = all[i], .remark = "remark"});
  return sample;
}

const ProbeThreshold kPeers{.of_peers = 0.75, .source = "a paper"};

TEST(ProbeJudge, WhatCannotLookNeverPasses) {
  const ProbeFinding finding = judge("p", kRate, unsupported_sample("needs root"), {.at_least = 1});
  EXPECT_EQ(finding.verdict, ProbeVerdict::unsupported);
  EXPECT_EQ(finding.why, "needs root");
  EXPECT_FALSE(finding.metric);
}

TEST(ProbeJudge, AnErrorFailsWhateverTheMetricSays) {
  ProbeSample sample = sample_of({10});
  sample.errors = {"bytes differ", "once more"};
  const ProbeFinding finding = judge("p", kRate, sample, {.at_least = 1});
  EXPECT_EQ(finding.verdict, ProbeVerdict::fail);
  EXPECT_EQ(finding.why, "bytes differ (1 more)");
}

TEST(ProbeJudge, AnAbsoluteLineIsHeldAgainstTheMedian) {
  const ProbeThreshold line{.at_least = 5, .source = "a vendor"};
  EXPECT_EQ(judge("p", kRate, sample_of({1, 5, 9}), line).verdict, ProbeVerdict::pass);
  const ProbeFinding below = judge("p", kRate, sample_of({1, 4.5, 9}), line);
  EXPECT_EQ(below.verdict, ProbeVerdict::fail);
  EXPECT_EQ(below.compared, "at least 5 GB/s");
  EXPECT_THAT(below.why, HasSubstr("a vendor"));
  EXPECT_EQ(judge("p", kLatency, sample_of({11}), {.at_most = 10, .breach = Breach::degraded}).verdict,
            ProbeVerdict::degraded);
  // Without a repetition more: the spread is that of the values.
  EXPECT_EQ(*below.metric, (Spread{.median = 4.5, .low = 1, .high = 9, .n = 3}));
}

TEST(ProbeJudge, AKindMayHaveALineOfItsOwn) {
  ProbeThreshold line{.at_least_by_kind = {{"H100", 48}}, .breach = Breach::degraded};
  const auto judged = [&](const std::string& kind) {
    ProbeSample sample = sample_of({40});
    sample.parts[0].kind = kind;
    return judge("p", kRate, sample, line);
  };
  EXPECT_EQ(judged("NVIDIA H100").verdict, ProbeVerdict::degraded);
  EXPECT_EQ(judged("NVIDIA H100").compared, "at least 48 GB/s");
  EXPECT_EQ(judged("NVIDIA A100").verdict, ProbeVerdict::unjudged);
  line.at_least = 30;
  EXPECT_EQ(judged("NVIDIA A100").verdict, ProbeVerdict::pass);
}

TEST(ProbeJudge, APartWithAnExcuseIsNotBlamed) {
  ProbeSample sample = parts_of({{10}, {10}, {5}, {10}});
  sample.parts[2].excuse = "the cores were busy";
  const ProbeFinding finding = judge("p", kRate, sample, kPeers);
  EXPECT_EQ(finding.verdict, ProbeVerdict::inconclusive);
  EXPECT_EQ(finding.part, "core 2");
  EXPECT_EQ(finding.why, "the cores were busy");
  sample.parts[2].excuse.clear();
  EXPECT_EQ(judge("p", kRate, sample, kPeers).verdict, ProbeVerdict::degraded);
  sample.parts[0].excuse = "the cores were busy";  // a good part needs none
  EXPECT_EQ(judge("p", kRate, parts_of({{10}, {10}}), kPeers).verdict, ProbeVerdict::pass);
}

TEST(ProbeJudge, AnExcuseHoldsIfEachLookHadIt) {
  ProbeSample first = sample_of({5});
  first.parts[0].excuse = "busy";
  ProbeSample free = sample_of({5}), busy = first;
  add_repetitions(busy, first);
  EXPECT_EQ(busy.parts[0].excuse, "busy");
  add_repetitions(first, free);
  EXPECT_EQ(first.parts[0].excuse, "");
}

TEST(ProbeJudge, ASlowPartIsNamedBesideItsNeighbours) {
  const ProbeFinding finding = judge("cores", kRate, parts_of({{10, 10}, {10, 9}, {5, 6}, {10, 10}}), kPeers);
  EXPECT_EQ(finding.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(finding.part, "core 2");
  EXPECT_EQ(finding.compared, "best repetition at least 7.5 GB/s, from the median of 3 peers");
  EXPECT_EQ(finding.why, "remark; threshold: a paper");
  EXPECT_EQ(judge("cores", kRate, parts_of({{10}, {9}, {8}, {10}}), kPeers).verdict, ProbeVerdict::pass);
}

// A burst of something else slows a repetition, and blames nobody.
TEST(ProbeJudge, OneGoodRepetitionClearsAPart) {
  EXPECT_EQ(judge("cores", kRate, parts_of({{10, 10, 10}, {10, 10, 10}, {2, 9, 2}}), kPeers).verdict,
            ProbeVerdict::pass);
  EXPECT_EQ(judge("disks", kLatency, parts_of({{1, 1}, {1, 1}, {9, 1.2}}), kPeers).verdict,
            ProbeVerdict::pass);
  EXPECT_EQ(judge("disks", kLatency, parts_of({{1, 1}, {1, 1}, {9, 1.4}}), kPeers).verdict,
            ProbeVerdict::degraded);
}

// The best repetitions of healthy parts differ by more than the share allows: one that reaches what the others usually do is no worse.
/// Links to one neighbour: whoever is to blame for a bad one is not known.
ProbeVerdict verdict_of_links(const ProbeMetric& metric, const std::vector<std::vector<double>>& all) {
  ProbeSample sample = parts_of(all);
  for (PartSample& part : sample.parts) part.neighbour = "a";
  return judge("links", metric, sample, kPeers).verdict;
}

TEST(ProbeJudge, ALinkThatIsAsGoodAsUsualIsNotBlamed) {
  const std::vector<double> usual{6, 9, 13.8};
  EXPECT_EQ(verdict_of_links(kRate, {usual, usual, usual, {6, 8, 9.3}}), ProbeVerdict::pass);
  EXPECT_EQ(verdict_of_links(kRate, {usual, usual, usual, {6, 8, 8.5}}), ProbeVerdict::inconclusive);
  const std::vector<double> times{1, 2, 4};
  EXPECT_EQ(verdict_of_links(kLatency, {times, times, times, {1.9, 3, 5}}), ProbeVerdict::pass);
  EXPECT_EQ(verdict_of_links(kLatency, {times, times, times, {2.1, 3, 5}}), ProbeVerdict::inconclusive);
}

// A core that another program uses, beside one that something disturbs for a moment: its median says nothing.
TEST(ProbeJudge, ABusyCoreIsFoundBesideADisturbedOne) {
  EXPECT_EQ(judge("cores", kRate, parts_of({{230, 329, 776}, {152, 257, 377}}), kPeers).verdict,
            ProbeVerdict::degraded);
}

TEST(ProbeJudge, PartsOfAnotherKindAreNoPeers) {
  ProbeSample sample = parts_of({{10}, {10}, {4}});
  sample.parts[2].kind = "small";
  EXPECT_EQ(judge("cores", kRate, sample, kPeers).verdict, ProbeVerdict::unjudged);
}

TEST(ProbeJudge, OtherHostsArePeers) {
  const std::vector<Spread> others = {spread_of({10}), spread_of({11}), spread_of({9})};
  EXPECT_EQ(judge("disk", kRate, sample_of({10}), kPeers, others).verdict, ProbeVerdict::pass);
  EXPECT_EQ(judge("disk", kRate, sample_of({7}), kPeers, others).verdict, ProbeVerdict::degraded);
}

// A peer that was disturbed for most of the time is no excuse for a part that never reaches its best.
TEST(ProbeJudge, BestRepetitionsAreComparedWithBestOnes) {
  EXPECT_EQ(judge("cores", kRate, parts_of({{6, 6, 10}, {5, 5, 5}}), kPeers).part, "core 1");
  EXPECT_EQ(judge("cores", kRate, parts_of({{6, 6, 10}, {5, 5, 9}}), kPeers).verdict, ProbeVerdict::pass);
}

/// A link each, to neighbours "a", "b", ...
ProbeSample links_of(const std::vector<double>& values) {
  ProbeSample sample;
  for (const double value : values) {
    const std::string name(1, static_cast<char>('a' + sample.parts.size()));
    sample.parts.push_back(
        {.part = "with " + name, .kind = "", .values = {value}, .remark = "", .neighbour = name});
  }
  return sample;
}

TEST(ProbeJudge, AHostIsBlamedForItsLinksWhereMostAreBad) {
  const ProbeThreshold most{.at_most = 0.1, .breach = Breach::degraded};
  const ProbeFinding bad = judge("tcp_loss", kLatency, links_of({3, 0, 2}), most);
  EXPECT_EQ(bad.verdict, ProbeVerdict::degraded);
  EXPECT_EQ(bad.part, "with a");
  const ProbeFinding good = judge("tcp_loss", kLatency, links_of({0, 0, 2}), most);
  EXPECT_EQ(good.verdict, ProbeVerdict::pass);
  EXPECT_EQ(good.metric->median, 0);
  EXPECT_EQ(good.why, "suspect c: 1 of 3 links from here are bad");
  const ProbeFinding either = judge("tcp_loss", kLatency, links_of({2}), most);
  EXPECT_EQ(either.verdict, ProbeVerdict::inconclusive);
  EXPECT_EQ(either.why, "the link is bad by this host or by a; name a second neighbour");
  EXPECT_EQ(judge("tcp_loss", kLatency, links_of({0}), most).verdict, ProbeVerdict::pass);
}

TEST(ProbeJudge, WithNothingToCompareItSaysWhatToGive) {
  const ProbeFinding finding = judge("disk_write", kRate, sample_of({10}), kPeers);
  EXPECT_EQ(finding.verdict, ProbeVerdict::unjudged);
  EXPECT_EQ(finding.why,
            "nothing to compare with; give probes.disk_write.threshold.at_least, in GB/s, or the reports of "
            "other hosts");
  EXPECT_THAT(judge("wait", kLatency, sample_of({10}), {}).why,
              HasSubstr("probes.wait.threshold.at_most, in ms"));
}

TEST(ProbeJudge, AMetricThatSaysNothingPassesNobody) {
  ProbeSample busy = parts_of({{10}, {10}});
  busy.inconclusive = "the cores are busy";
  EXPECT_EQ(judge("cores", kRate, busy, kPeers).verdict, ProbeVerdict::inconclusive);
  EXPECT_EQ(judge("cores", kRate, busy, kPeers).why, "the cores are busy");
  busy.parts[1].values = {1};
  EXPECT_EQ(judge("cores", kRate, busy, kPeers).verdict, ProbeVerdict::degraded);
}

// A command without a metric says all with its exit code.
TEST(ProbeJudge, WithoutAMetricNoErrorIsAPass) {
  EXPECT_EQ(judge("dcgmi", {}, {}, {}).verdict, ProbeVerdict::pass);
}

}  // namespace
}  // namespace gauntlet
