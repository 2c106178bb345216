// Other hosts: what most of them agree on, and who is the culprit of a pair.
#include "real/probes/peers.hpp"

#include "real/probes/pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
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

std::vector<std::uint32_t> hosts_to(std::uint32_t count) {
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

/// Suspects that fail with each of their partners.
std::vector<std::uint32_t> convicted(const std::vector<std::uint32_t>& suspects,
                                     const std::set<std::uint32_t>& proven, std::uint32_t hosts,
                                     const std::set<std::uint32_t>& bad) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t suspect : suspects) {
    const auto partners = partners_of(suspect, proven, hosts_to(hosts), {});
    const bool fails = std::all_of(partners.begin(), partners.end(), [&](std::uint32_t partner) {
      return bad.contains(suspect) || bad.contains(partner);
    });
    if (fails && !partners.empty()) out.push_back(suspect);
  }
  return out;
}

std::vector<std::uint32_t> named(std::uint32_t hosts, const std::set<std::uint32_t>& bad) {
  const auto proven = proven_hosts(run_pairs(first_round(hosts_to(hosts)), bad));
  std::vector<std::uint32_t> suspects = hosts_to(hosts);
  std::erase_if(suspects, [&](std::uint32_t host) { return proven.contains(host); });
  return convicted(suspects, proven, hosts, bad);
}

TEST(Pairs, HaveEveryHost) {
  EXPECT_THAT(first_round({4, 5, 6, 7}), ElementsAre(HostPair{4, 5}, HostPair{6, 7}));
  EXPECT_THAT(first_round({0, 1, 2}), ElementsAre(HostPair{0, 1}, HostPair{2, 0}));
  EXPECT_THAT(first_round({0}), IsEmpty());
}

TEST(Pairs, BothOfAPairCanBeCulprits) {
  EXPECT_THAT(named(6, {2, 3}), ElementsAre(2, 3));
  EXPECT_THAT(named(6, {}), IsEmpty());
}

TEST(Pairs, APartnerIsProvenAndFreeWhereOneIs) {
  EXPECT_THAT(partners_of(2, {0, 1}, hosts_to(6), {}), ElementsAre(0));
  EXPECT_THAT(partners_of(2, {0, 1}, hosts_to(6), {0}), ElementsAre(1));
  EXPECT_THAT(partners_of(2, {0, 1}, hosts_to(6), {0, 1}), ElementsAre(0));
}

// Two of them, because one alone may be the culprit.
TEST(Pairs, WithoutAProvenHostASuspectHasTwoPartners) {
  EXPECT_THAT(partners_of(2, {}, hosts_to(6), {0}), ElementsAre(1, 3));
  EXPECT_THAT(convicted({2}, {}, 6, {0}), IsEmpty());
  EXPECT_THAT(convicted({2}, {}, 6, {2}), ElementsAre(2));
  EXPECT_THAT(partners_of(0, {}, {0}, {}), IsEmpty());
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
    const auto first = run_pairs(first_round(hosts_to(hosts)), bad);
    const bool any_good =
        std::any_of(first.begin(), first.end(), [](const PairResult& each) { return !each.failed; });
    RC_PRE(any_good);
    RC_ASSERT(named(hosts, bad) == std::vector<std::uint32_t>(bad.begin(), bad.end()));
  });
}

}  // namespace
}  // namespace gauntlet
