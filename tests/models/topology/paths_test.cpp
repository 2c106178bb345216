#include "core/random/stream.hpp"
#include "models/network/max_min.hpp"
#include "tests/models/topology/fabrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace gauntlet {
namespace {

using enum FabricKind;

class Paths : public testing::TestWithParam<TestCluster> {};
INSTANTIATE_TEST_SUITE_P(Clusters, Paths, testing::ValuesIn(test_clusters()),
                         [](const auto& cluster) { return cluster.param.name; });

// Hops from one vertex to every other, and over how many different shortest paths, by breadth-first search.
struct Reach {
  std::vector<std::size_t> hops, paths;
};
Reach reach_of(const Topology& topology, VertexNumber start) {
  std::vector<std::vector<VertexNumber>> next(topology.vertices().size());
  for (const Link& link : topology.links()) next[link.from].push_back(link.to);
  Reach reach{std::vector<std::size_t>(next.size(), ~std::size_t{0}), std::vector<std::size_t>(next.size())};
  std::queue<VertexNumber> open({start});
  reach.hops[start] = 0;
  reach.paths[start] = 1;
  for (; !open.empty(); open.pop()) {
    const VertexNumber at = open.front();
    for (const VertexNumber to : next[at]) {
      if (reach.hops[to] == ~std::size_t{0}) {
        reach.hops[to] = reach.hops[at] + 1;
        open.push(to);
      }
      if (reach.hops[to] == reach.hops[at] + 1) reach.paths[to] += reach.paths[at];
    }
  }
  return reach;
}

std::vector<Vertex> vertices_of(const Topology& topology, const std::vector<LinkNumber>& path) {
  std::vector<Vertex> out;
  for (const LinkNumber l : path) {
    const Link& link = topology.links()[l];
    if (out.empty()) out.push_back(topology.vertices()[link.from]);
    EXPECT_EQ(out.back(), topology.vertices()[link.from]) << "links follow each other";
    out.push_back(topology.vertices()[link.to]);
  }
  return out;
}

TEST_P(Paths, AreShortestThroughTheirRail) {
  const Topology topology = GetParam().build();
  const FabricShape& shape = topology.shape();
  Stream random({.study = 11}, stream_name("test.paths"));
  for (int n = 0; n < 100; ++n) {
    const auto from = static_cast<std::uint32_t>(random.below(shape.gpus()));
    const auto to = static_cast<std::uint32_t>(random.below(shape.gpus()));
    const auto rail = static_cast<std::uint32_t>(random.below(shape.nics_per_host));
    const auto path = topology.path(from, to, rail, random.bits());
    EXPECT_EQ(path.empty(), from == to);
    if (from == to) continue;
    const auto passed = vertices_of(topology, path);
    EXPECT_EQ(passed.front(), (Vertex{VertexKind::gpu, from}));
    EXPECT_EQ(passed.back(), (Vertex{VertexKind::gpu, to}));
    const std::uint32_t here = from / shape.gpus_per_host, there = to / shape.gpus_per_host;
    if (here == there) {
      EXPECT_EQ(path.size(), 2U) << "over NVLink alone";
      continue;
    }
    for (const std::uint32_t host : {here, there})
      EXPECT_THAT(passed, testing::Contains(Vertex{VertexKind::nic, host * shape.nics_per_host + rail}));
    const auto nic = [&](std::uint32_t host) {
      return topology.find(VertexKind::nic, host * shape.nics_per_host + rail).value();
    };
    const auto detour = [&](std::uint32_t gpu) {
      return shape.host().adjacent(gpu % shape.gpus_per_host, rail) ? 0U : 2U;
    };
    EXPECT_EQ(path.size(),
              detour(from) + 1 + reach_of(topology, nic(here)).hops[nic(there)] + 1 + detour(to));
    EXPECT_TRUE(detour(from) + detour(to) > 0 || path.size() == reach_of(topology, from).hops[to])
        << "nothing is shorter than over the GPUs' own NICs";
  }
}

TEST_P(Paths, EqualOnesAreAllThereAreAndEachIsChosen) {
  const Topology topology = GetParam().build();
  const FabricShape& shape = topology.shape();
  const Reach reach = reach_of(topology, topology.find(VertexKind::nic, 0).value());
  for (std::uint32_t host = 1; host < shape.hosts; ++host) {
    const std::uint32_t to = host * shape.gpus_per_host;
    const std::uint32_t equal = topology.equal_paths(0, to);
    EXPECT_EQ(equal, reach.paths[topology.find(VertexKind::nic, host * shape.nics_per_host).value()]);
    std::set<std::vector<LinkNumber>> chosen;
    for (std::uint32_t hash = 0; hash < equal; ++hash)
      chosen.insert(topology.path(0, to, 0, 1000 * equal + hash));
    EXPECT_EQ(chosen.size(), equal);
  }
}

// Hashes that are drawn at random load the up-links of a ToR switch evenly: within five standard deviations.
TEST(EcmpSpread, IsEven) {
  const Topology topology = TestCluster{"", 32, 4, 8, 8, fabric_of(clos, 2, 4, 8)}.build();
  Stream random({.study = 12}, stream_name("test.ecmp"));
  constexpr int kFlows = 40'000;
  std::map<std::uint32_t, int> aggregations, spines;
  for (int n = 0; n < kFlows; ++n)
    for (const Vertex& vertex : vertices_of(topology, topology.path(0, 255, 0, random.bits()))) {
      if (vertex.kind == VertexKind::aggregation && vertex.index < 4) ++aggregations[vertex.index];
      if (vertex.kind == VertexKind::spine) ++spines[vertex.index];
    }
  EXPECT_EQ(aggregations.size(), 4U);
  EXPECT_EQ(spines.size(), 8U);
  for (const auto& [index, flows] : aggregations)
    EXPECT_NEAR(flows, kFlows / 4, 5 * 87);  // sqrt(n p (1 - p)) = 86.6
  for (const auto& [index, flows] : spines) EXPECT_NEAR(flows, kFlows / 8, 5 * 66);  // 66.1
}

// What hosts of the first half get when each sends to its partner in the second half, over all NICs and equal paths at once.
double rate_of_partners(const Topology& topology) {
  Flows flows;
  const std::uint32_t half = topology.hosts() / 2;
  for (std::uint32_t host = 0; host < half; ++host)
    for (std::uint32_t nic = 0; nic < topology.nics_per_host(); ++nic) {
      const std::uint32_t gpu = topology.shape().host().gpu_of_nic(nic);
      const std::uint32_t from = host * topology.gpus_per_host() + gpu;
      const std::uint32_t to = (half + host) * topology.gpus_per_host() + gpu;
      for (std::uint32_t hash = 0; hash < topology.equal_paths(from, to); ++hash)
        flows.add(topology.path(from, to, nic, hash));
    }
  std::vector<double> capacities;
  for (const Link& link : topology.links()) capacities.push_back(link.bandwidth.value);
  const std::vector<double> rates = max_min_rates(flows, capacities);
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

TEST(Bisection, IsWhatTheOversubscriptionLeaves) {
  const double nics = 16 * 8 * 50e9;  // of half of 32 hosts
  const auto bisection_of = [&](FabricKind kind, std::uint32_t tors_per_pod, double oversubscription) {
    const Topology topology =
        TestCluster{"", 32, 4, 8, 8, fabric_of(kind, tors_per_pod, 4, 8, oversubscription)}.build();
    const double bisected = bisection(topology).value;
    EXPECT_NEAR(bisected, rate_of_partners(topology), 1e-6 * bisected);
    return bisected / nics;
  };
  EXPECT_NEAR(bisection_of(clos, 2, 1), 1, 1e-6);
  EXPECT_NEAR(bisection_of(rail_optimised, 16, 1), 1, 1e-6);
  EXPECT_NEAR(bisection_of(clos, 2, 4), 1.0 / 4, 1e-6);  // between pods
  EXPECT_NEAR(bisection_of(rail_optimised, 16, 7), 1.0 / 7, 1e-6);
  EXPECT_NEAR(bisection_of(fat_tree, 2, 3), 1.0 / 9, 1e-6);  // at ToR and aggregation switches
  EXPECT_NEAR(bisection_of(clos, 8, 4), 1, 1e-6);            // one pod has no up-links
  EXPECT_NEAR(bisection_of(fat_tree, 8, 4), 1.0 / 4, 1e-6);
}

TEST(Bisection, OfAnOddNumberOfPods) {
  // Three pods of four hosts, the middle one cut in two: 2 hosts' worth stays within it; what leaves the first pod, and
  // fits into the last, is a quarter of 4.
  const Topology topology = TestCluster{"", 12, 1, 8, 8, fabric_of(clos, 4, 4, 8, 4)}.build();
  EXPECT_NEAR(bisection(topology).value, 3 * 8 * 50e9, 1);
}

}  // namespace
}  // namespace gauntlet
