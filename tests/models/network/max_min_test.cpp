#include "models/network/max_min.hpp"

#include "core/random/stream.hpp"
#include "models/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace gauntlet {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct SmallNetwork {
  Flows flows;
  std::vector<double> capacities;
};

Flows flows_over(std::initializer_list<std::vector<std::uint32_t>> paths, std::vector<double> weights = {}) {
  Flows flows;
  for (const auto& path : paths) flows.add(path);
  flows.weights = std::move(weights);
  return flows;
}

// Bertsekas and Gallager, sec. 6.5.2: raise all flows together until a link is full, stop its flows, go on.
std::vector<double> textbook(const SmallNetwork& network) {
  const Flows& flows = network.flows;
  const auto weight = [&](std::size_t f) { return flows.weights.empty() ? 1.0 : flows.weights[f]; };
  std::vector<double> rates(flows.size()), left = network.capacities;
  std::vector<bool> stopped(flows.size());
  while (true) {
    std::vector<double> raised(left.size());
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (std::size_t i = flows.begin[f]; i < flows.begin[f + 1] && !stopped[f]; ++i)
        raised[flows.links[i]] += weight(f);
    double step = kUnbounded;
    for (std::size_t l = 0; l < left.size(); ++l)
      if (raised[l] > 0) step = std::min(step, std::max(left[l], 0.0) / raised[l]);
    std::vector<bool> full(left.size());
    for (std::size_t l = 0; l < left.size(); ++l) {
      if (raised[l] == 0) continue;
      full[l] = left[l] / raised[l] <= step * (1 + 1e-12) + 1e-12;
      left[l] -= step * raised[l];
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (stopped[f]) continue;
      rates[f] += step * weight(f);
      for (std::size_t i = flows.begin[f]; i < flows.begin[f + 1]; ++i)
        if (full[flows.links[i]]) stopped[f] = true;
    }
    if (step == kUnbounded) return rates;
  }
}

// No link carries more than it can, and every flow has a full link on which none has more for its weight.
void expect_max_min(const SmallNetwork& network, const std::vector<double>& rates) {
  const Flows& flows = network.flows;
  const auto level = [&](std::size_t f) {
    return flows.weights.empty() ? rates[f] : rates[f] / flows.weights[f];
  };
  std::vector<double> carried(network.capacities.size()), highest(network.capacities.size());
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (std::size_t i = flows.begin[f]; i < flows.begin[f + 1]; ++i) {
      carried[flows.links[i]] += rates[f];
      highest[flows.links[i]] = std::max(highest[flows.links[i]], level(f));
    }
  for (std::size_t l = 0; l < carried.size(); ++l) EXPECT_LE(carried[l], network.capacities[l] * (1 + 1e-9));
  for (std::size_t f = 0; f < flows.size(); ++f) {
    bool held = false;
    for (std::size_t i = flows.begin[f]; i < flows.begin[f + 1]; ++i) {
      const std::uint32_t l = flows.links[i];
      held |= carried[l] >= network.capacities[l] * (1 - 1e-9) && level(f) >= highest[l] * (1 - 1e-9);
    }
    EXPECT_TRUE(held || flows.begin[f] == flows.begin[f + 1]) << "flow " << f << " could have more";
  }
}

// Few distinct capacities, so that many links fill together, or all different ones, some of them zero.
SmallNetwork random_network(std::uint64_t seed) {
  Stream random({.study = seed}, stream_name("test.max_min"));
  SmallNetwork network;
  const bool alike = random.below(2) == 0, weighted = random.below(2) == 0;
  network.capacities.resize(1 + random.below(30));
  for (double& capacity : network.capacities)
    capacity = alike ? 100.0 * static_cast<double>(1 + random.below(3)) : 1e9 * random.uniform();
  if (random.below(4) == 0) network.capacities.front() = 0;
  const std::uint64_t flows = random.below(80);
  for (std::uint64_t f = 0; f < flows; ++f) {
    std::vector<std::uint32_t> path(1 + random.below(6));
    for (std::uint32_t& link : path)
      link = static_cast<std::uint32_t>(random.below(network.capacities.size()));
    network.flows.add(path);
    if (weighted) network.flows.weights.push_back(0.1 + 3 * random.uniform());
  }
  return network;
}

TEST(MaxMin, SharesALinkEvenlyOrByWeight) {
  const std::vector<double> capacities = {12};
  EXPECT_THAT(max_min_rates(flows_over({{0}, {0}, {0}}), capacities), ElementsAre(4, 4, 4));
  EXPECT_THAT(max_min_rates(flows_over({{0}, {0}, {0}}, {1, 2, 3}), capacities), ElementsAre(2, 4, 6));
  EXPECT_THAT(max_min_rates(flows_over({{0}, {0}}, {1e17, 1}), capacities),
              ElementsAre(DoubleEq(12), DoubleEq(12e-17)));
}

TEST(MaxMin, FillsWhatTheNarrowestLinkLeaves) {
  // Links of 1, 2 and 6. The flow over all three is held to 1/2 by the first; the second has 3/2 left, the third 11/2.
  const std::vector<double> capacities = {1, 2, 6};
  EXPECT_THAT(max_min_rates(flows_over({{0, 1, 2}, {0}, {1}, {2}}), capacities),
              ElementsAre(0.5, 0.5, 1.5, 5.5));
  // Two over the second one: 3/4 each. The last, over the second and third, is held by the second.
  EXPECT_THAT(max_min_rates(flows_over({{0, 1, 2}, {0}, {1}, {1, 2}, {2}}), capacities),
              ElementsAre(0.5, 0.5, 0.75, 0.75, 4.75));
}

TEST(MaxMin, KnowsNoLinkDeadLinksAndEndlessOnes) {
  const std::vector<double> capacities = {0, 8, kUnbounded};
  EXPECT_THAT(max_min_rates(flows_over({{}, {0, 1}, {1}, {1, 2}, {2}}), capacities),
              ElementsAre(kUnbounded, 0, 4, 4, kUnbounded));
  EXPECT_THAT(max_min_rates({}, capacities), ElementsAre());
}

TEST(MaxMin, CountsALinkAsOftenAsItIsNamed) {
  EXPECT_THAT(max_min_rates(flows_over({{0, 0}, {0}}), std::vector<double>{9}), ElementsAre(3, 3));
}

// A small weight is not lost in the sum of large ones that stopped before it.
TEST(MaxMin, KeepsSmallWeightsBesideLargeOnes) {
  // The heavy flow is held to 1 by link 0, at the level 1e-17; link 1 has 9 left for the light one.
  EXPECT_THAT(max_min_rates(flows_over({{0, 1}, {1}}, {1e17, 1}), std::vector<double>{1, 10}),
              ElementsAre(DoubleEq(1), DoubleEq(9)));
}

TEST(MaxMin, IsTheTextbooks) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const SmallNetwork network = random_network(seed);
    const std::vector<double> rates = max_min_rates(network.flows, network.capacities);
    const std::vector<double> expected = textbook(network);
    ASSERT_EQ(rates.size(), expected.size());
    for (std::size_t f = 0; f < rates.size(); ++f)
      ASSERT_NEAR(rates[f], expected[f], 1e-9 * expected[f] + 1e-9) << "seed " << seed << ", flow " << f;
    expect_max_min(network, rates);
    ASSERT_EQ(rates, max_min_rates(network.flows, network.capacities)) << "seed " << seed;
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Twelve thousand flows between random GPUs, hashed onto the fabric of 1,536 hosts: links of every level hold some of them.
TEST(MaxMin, HoldsOnAWholeFabric) {
  Hardware hardware;
  hardware.nvlink = {600e9};
  hardware.nic = {25e9};
  hardware.pcie = {32e9};
  Fabric fabric;
  fabric.oversubscription = 2;
  const Topology topology(1536, 64, hardware, fabric);
  SmallNetwork network;
  for (const Link& link : topology.links()) network.capacities.push_back(link.bandwidth.value);
  Stream random({.study = 21}, stream_name("test.max_min_fabric"));
  for (std::uint32_t gpu = 0; gpu < 12'288; ++gpu)
    network.flows.add(
        topology.path(gpu, static_cast<std::uint32_t>(random.below(12'288)), gpu % 8, random.bits()));
  const std::vector<double> rates = max_min_rates(network.flows, network.capacities);
  expect_max_min(network, rates);
}

TEST(MaxMinDeathTest, RefusesWhatIsNoNetwork) {
  EXPECT_DEATH(max_min_rates(flows_over({{3}}), std::vector<double>{1}), "every link has a capacity");
  EXPECT_DEATH(max_min_rates(flows_over({{0}}), std::vector<double>{-1}), "not below zero");
  EXPECT_DEATH(max_min_rates(flows_over({{0}}, {0}), std::vector<double>{1}), "above zero");
}

}  // namespace
}  // namespace gauntlet
