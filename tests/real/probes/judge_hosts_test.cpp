// One probe on several hosts: who is accused, and who is not.
#include "real/probes/suite/judge_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::HasSubstr;

ProbeMeasure of_peers(double share) {
  ProbeMeasure measure;
  measure.threshold.of_peers = share;
  measure.command = {.arguments = {"measure"}, .metric = "(.*)", .unit = "GB/s"};
  return measure;
}

ProbeSample of(std::vector<double> values) {
  ProbeSample sample;
  sample.parts.push_back({.part = "", .kind = "", .values = std::move(values), .remark = ""});
  return sample;
}

TEST(JudgeHosts, TheSlowOneIsAccusedAndNoNeighbour) {
  const auto findings =
      judge_hosts("rate", of_peers(0.75), {{3, of({10, 11})}, {4, of({4, 5})}, {5, of({9})}, {6, of({10})}});
  EXPECT_EQ(findings.at(3).verdict, ProbeVerdict::pass);
  EXPECT_EQ(findings.at(4).verdict, ProbeVerdict::degraded);
  EXPECT_EQ(findings.at(5).verdict, ProbeVerdict::pass);
  EXPECT_EQ(findings.at(6).verdict, ProbeVerdict::pass);
}

TEST(JudgeHosts, AHostAloneHasNoPeers) {
  EXPECT_EQ(judge_hosts("rate", of_peers(0.75), {{4, of({4})}}).at(4).verdict, ProbeVerdict::unjudged);
  ProbeMeasure absolute = of_peers(0);
  absolute.threshold.at_least = 5;
  EXPECT_EQ(judge_hosts("rate", absolute, {{4, of({4})}}).at(4).verdict, ProbeVerdict::fail);
}

TEST(JudgeHosts, AnErrorAccusesItsHostAlone) {
  ProbeSample broken;
  broken.errors.push_back("reads back differently");
  const auto findings = judge_hosts("rate", of_peers(0.75), {{0, of({10})}, {1, broken}, {2, of({10})}});
  EXPECT_EQ(findings.at(0).verdict, ProbeVerdict::pass);
  EXPECT_EQ(findings.at(1).verdict, ProbeVerdict::fail);
  EXPECT_EQ(findings.at(2).verdict, ProbeVerdict::pass);
}

TEST(JudgeHosts, AHostThatCouldNotLookIsNotAccused) {
  const auto findings = judge_hosts("rate", of_peers(0.75),
                                    {{0, of({10})}, {1, unsupported_sample("not installed")}, {2, of({9})}});
  EXPECT_EQ(findings.at(1).verdict, ProbeVerdict::unsupported);
  EXPECT_FALSE(is_bad(findings.at(1).verdict));
  EXPECT_EQ(findings.at(0).verdict, ProbeVerdict::pass);
}

TEST(JudgeHosts, FactsOfAProbeThatSaysNothingAreNotHeldAgainstOthers) {
  const auto says_nothing = [](const char* rates) {
    ProbeSample sample;
    sample.inconclusive = "no card has a like one beside it";
    sample.facts = {{"rates", rates}};
    return sample;
  };
  const auto findings = judge_hosts(
      "rate", of_peers(0.75), {{0, says_nothing("40")}, {1, says_nothing("50")}, {2, says_nothing("50")}});
  EXPECT_EQ(findings.at(0).verdict, ProbeVerdict::inconclusive);
  EXPECT_EQ(findings.at(0).why, "no card has a like one beside it");
}

TEST(JudgeHosts, AnUnlikeSettingIsNamedAtItsHost) {
  const auto with_mtu = [](const char* mtu) {
    ProbeSample sample;
    sample.facts = {{"eth0 mtu", mtu}};
    return sample;
  };
  ProbeMeasure measure;
  measure.threshold.at_most = 0;
  const auto findings = judge_hosts(
      "configuration", measure,
      {{0, with_mtu("9000")}, {1, with_mtu("1500")}, {2, with_mtu("9000")}, {3, with_mtu("9000")}});
  EXPECT_EQ(findings.at(1).verdict, ProbeVerdict::fail);
  EXPECT_THAT(findings.at(1).why, HasSubstr("eth0 mtu is 1500, 3 of 3 peers have 9000"));
  for (const std::uint32_t host : {0U, 2U, 3U}) EXPECT_EQ(findings.at(host).verdict, ProbeVerdict::pass);
}

}  // namespace
}  // namespace gauntlet
