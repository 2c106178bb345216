// Other hosts: what most of them agree on, and who is the culprit of a pair.
#include "real/probes/peers.hpp"

#include "real/probes/pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Peers, NameTheFactThatMostOfThemHaveOtherwise) {
  const std::vector<FactTable> peers = {
      {{"mtu", "9000"}}, {{"mtu", "9000"}}, {{"mtu", "1500"}, {"odd", "1"}}};
  const auto found = facts_unlike_peers({{"mtu", "1500"}}, peers);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_text(found[0]), "mtu is 1500, 2 of 3 peers have 9000");
  EXPECT_THAT(facts_unlike_peers({{"mtu", "9000"}}, peers), IsEmpty());
}

TEST(Peers, HalfIsNoMajority) {
  EXPECT_THAT(facts_unlike_peers({{"mtu", "1"}}, {{{"mtu", "2"}}, {{"mtu", "1"}}}), IsEmpty());
  EXPECT_THAT(facts_unlike_peers({{"mtu", "1"}}, {}), IsEmpty());
}

TEST(Peers, WhatIsAbsentIsAFactToo) {
  const auto found = facts_unlike_peers({{"extra", "1"}}, {{{"driver", "550"}}, {{"driver", "550"}}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(to_text(found[0]), "driver is absent, 2 of 2 peers have 550");
  EXPECT_EQ(to_text(found[1]), "extra is 1, 2 of 2 peers have absent");
}

std::vector<PairResult> run_pairs(const std::vector<HostPair>& pairs, const std::set<std::uint32_t>& bad) {
  std::vector<PairResult> results;
  for (const HostPair& pair : pairs)
    results.push_back({pair, bad.contains(pair.first) || bad.contains(pair.second)});
  return results;
}

std::vector<std::uint32_t> named(std::uint32_t hosts, const std::set<std::uint32_t>& bad) {
  return culprits(run_pairs(second_round(run_pairs(first_round(hosts), bad)), bad));
}

TEST(Pairs, HaveEveryHost) {
  EXPECT_THAT(first_round(4), ElementsAre(HostPair{0, 1}, HostPair{2, 3}));
  EXPECT_THAT(first_round(3), ElementsAre(HostPair{0, 1}, HostPair{2, 0}));
  EXPECT_THAT(first_round(1), IsEmpty());
}

TEST(Pairs, BothOfAPairCanBeCulprits) {
  EXPECT_THAT(named(6, {2, 3}), ElementsAre(2, 3));
  EXPECT_THAT(named(6, {}), IsEmpty());
}

// With nobody good, nobody can be told from another.
TEST(Pairs, WithoutAGoodPairNameNobody) {
  EXPECT_THAT(named(2, {0}), IsEmpty());
  EXPECT_THAT(named(4, {0, 2}), IsEmpty());
}

TEST(Pairs, OneCulpritAmongManyIsAlwaysNamed) {
  rc::check("one culprit", [] {
    const auto hosts = *rc::gen::inRange<std::uint32_t>(4, 200);
    const auto bad = *rc::gen::inRange<std::uint32_t>(0, hosts);
    RC_ASSERT(named(hosts, {bad}) == std::vector<std::uint32_t>{bad});
  });
}

TEST(Pairs, AHealthyHostIsNeverNamedAndEveryCulpritIsWhereAnyPairIsGood) {
  rc::check("any culprits", [] {
    const auto hosts = *rc::gen::inRange<std::uint32_t>(2, 60);
    const auto bad = *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, hosts));
    const auto first = run_pairs(first_round(hosts), bad);
    const bool any_good =
        std::any_of(first.begin(), first.end(), [](const PairResult& each) { return !each.failed; });
    const auto found = named(hosts, bad);
    RC_ASSERT(found ==
              (any_good ? std::vector<std::uint32_t>(bad.begin(), bad.end()) : std::vector<std::uint32_t>{}));
  });
}

}  // namespace
}  // namespace gauntlet
