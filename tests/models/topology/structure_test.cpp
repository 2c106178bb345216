#include "tests/models/topology/fabrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using enum FabricKind;

class Structure : public testing::TestWithParam<TestCluster> {};
INSTANTIATE_TEST_SUITE_P(Clusters, Structure, testing::ValuesIn(test_clusters()),
                         [](const auto& cluster) { return cluster.param.name; });

// Vertices of each kind, then links of both directions.
std::array<std::size_t, kVertexKinds + 1> counts_of(const Topology& topology) {
  std::array<std::size_t, kVertexKinds + 1> counts{};
  for (const Vertex& vertex : topology.vertices()) ++counts[static_cast<std::size_t>(vertex.kind)];
  counts.back() = topology.links().size();
  return counts;
}

TEST(Structure, OfAClosByHand) {
  // 37 hosts under 10 ToR switches (the last has 1), in 4 pods of 3 (the last has 1); 4 aggregation switches a pod. Of 11
  // spines 8 are wired, 2 to each. Links, one way: 37 x (8 NVLink + 8 PCIe + 4 NICs), 10 x 4, 16 x 2.
  EXPECT_THAT(counts_of(TestCluster{"", 37, 4, 8, 4, fabric_of(clos, 3, 4, 11)}.build()),
              ElementsAre(296, 37, 148, 10, 16, 8, 2 * (37 * 20 + 40 + 32)));
}

TEST(Structure, OfRailsByHand) {
  // 29 hosts in 10 groups of 3 rails; 7 ToR switches a pod are two groups: 5 pods. 3 aggregation switches a pod with 2 of 6
  // spines each. Links, one way: 29 x (8 + 8 + 3), 30 x 3, 15 x 2.
  EXPECT_THAT(counts_of(TestCluster{"", 29, 3, 8, 3, fabric_of(rail_optimised, 7, 3, 7)}.build()),
              ElementsAre(232, 29, 87, 30, 15, 6, 2 * (29 * 19 + 90 + 30)));
}

TEST(Structure, OfMoreNicsThanGpus) {
  // 5 hosts of 2 GPUs and 5 NICs: a PCIe link for each NIC. GPU 0 has NICs 0 and 1, GPU 1 the others.
  const Topology topology = TestCluster{"", 5, 8, 2, 5, fabric_of(clos, 8, 8, 64)}.build();
  EXPECT_THAT(counts_of(topology), ElementsAre(10, 5, 25, 1, 0, 0, 2 * 5 * (2 + 5 + 5)));
  std::vector<std::uint32_t> gpus;
  for (std::uint32_t nic = 0; nic < 5; ++nic) gpus.push_back(topology.shape().host().gpu_of_nic(nic));
  EXPECT_THAT(gpus, ElementsAre(0, 0, 1, 1, 1));
}

TEST(Structure, LevelsThatJoinNothingAreLeftOut) {
  EXPECT_THAT(counts_of(TestCluster{"", 4, 4, 8, 8, fabric_of(rail_optimised, 8, 8, 64)}.build()),
              ElementsAre(32, 4, 32, 8, 0, 0, 2 * 4 * 24));
  EXPECT_THAT(counts_of(TestCluster{"", 4, 2, 8, 8, fabric_of(clos, 2, 8, 64)}.build()),
              ElementsAre(32, 4, 32, 2, 8, 0, 2 * (4 * 24 + 16)));
}

TEST_P(Structure, LinksComeInPairs) {
  const Topology topology = GetParam().build();
  std::map<std::pair<VertexNumber, VertexNumber>, Link> by_ends;
  for (const Link& link : topology.links()) {
    ASSERT_TRUE(by_ends.emplace(std::pair(link.from, link.to), link).second) << "one link each way";
    EXPECT_GT(link.bandwidth.value, 0);
  }
  for (const auto& [ends, link] : by_ends) {
    const auto opposite = by_ends.find({ends.second, ends.first});
    ASSERT_NE(opposite, by_ends.end());
    EXPECT_EQ(opposite->second.bandwidth, link.bandwidth);
  }
  for (VertexNumber v = 0; v < topology.vertices().size(); ++v) {
    const Vertex vertex = topology.vertices()[v];
    EXPECT_EQ(topology.find(vertex.kind, vertex.index), v);
    std::set<LinkNumber> expected;
    for (LinkNumber l = 0; l < topology.links().size(); ++l)
      if (topology.links()[l].from == v || topology.links()[l].to == v) expected.insert(l);
    const auto links = topology.links_at(v);
    EXPECT_EQ(std::set(links.begin(), links.end()), expected);
    EXPECT_EQ(links.size(), expected.size());
  }
  EXPECT_EQ(topology.find(VertexKind::gpu, GetParam().hosts * GetParam().gpus), std::nullopt);
}

TEST_P(Structure, IsConnected) {
  const TestCluster& cluster = GetParam();
  EXPECT_TRUE(cluster.build().connected());
  EXPECT_FALSE(fabric_misfit(cluster.hosts, cluster.hosts_per_tor, cluster.hardware(), cluster.fabric));
}

// What a switch has up is what a full one of its kind has down, divided by the oversubscription of its level.
TEST_P(Structure, UpLinksFollowFromDownLinks) {
  const Topology topology = GetParam().build();
  std::map<VertexKind, double> most_down, up;
  for (const VertexKind kind : {VertexKind::tor, VertexKind::aggregation}) {
    for (std::uint32_t i = 0; const auto at = topology.find(kind, i); ++i) {
      double above = 0, below = 0;
      for (const LinkNumber l : topology.links_at(*at)) {
        const Link& link = topology.links()[l];
        if (link.from == *at) (link.to > link.from ? above : below) += link.bandwidth.value;
      }
      most_down[kind] = std::max(most_down[kind], below);
      EXPECT_TRUE(i == 0 || up[kind] == above) << "all of a kind are wired alike";
      up[kind] = above;
    }
  }
  const Fabric& fabric = GetParam().fabric;
  const double at_tor = fabric.kind == fat_tree ? fabric.oversubscription : 1;
  if (topology.shape().aggregations() > 0) {
    EXPECT_DOUBLE_EQ(up[VertexKind::tor], most_down[VertexKind::tor] / at_tor);
  }
  if (topology.shape().spines() > 0) {
    EXPECT_DOUBLE_EQ(up[VertexKind::aggregation],
                     most_down[VertexKind::aggregation] / fabric.oversubscription);
  }
}

TEST_P(Structure, DomainsHoldEveryHost) {
  const Topology topology = GetParam().build();
  using enum DomainKind;
  for (const DomainKind kind : {host, rack, tor, pod, power}) {
    std::vector<std::uint32_t> times(topology.hosts());
    for (std::uint32_t i = 0; i < topology.domains(kind); ++i) {
      const std::vector<HostId> hosts = topology.hosts_of(kind, i);
      EXPECT_FALSE(hosts.empty());
      for (const HostId host : hosts) ++times[host.value];
    }
    const std::uint32_t switches =
        kind == tor && GetParam().fabric.kind == rail_optimised ? GetParam().nics : 1;
    EXPECT_THAT(times, testing::Each(switches));
  }
  EXPECT_EQ(topology.domains(host), topology.hosts());
  EXPECT_EQ(topology.domains(rack), (topology.hosts() + 2) / 3);
  EXPECT_EQ(topology.domains(power), (topology.hosts() + 5) / 6);
}

// The hosts of a ToR switch or a pod, as the links have it.
TEST_P(Structure, DomainsAreThoseOfTheWiring) {
  const Topology topology = GetParam().build();
  for (std::uint32_t i = 0; i < topology.domains(DomainKind::tor); ++i) {
    std::set<HostId> wired;
    for (const LinkNumber l : topology.links_at(topology.find(VertexKind::tor, i).value())) {
      const Vertex from = topology.vertices()[topology.links()[l].from];
      if (from.kind == VertexKind::nic) wired.insert(HostId{from.index / topology.nics_per_host()});
    }
    const auto hosts = topology.hosts_of(DomainKind::tor, i);
    EXPECT_EQ(std::set(hosts.begin(), hosts.end()), wired);
  }
}

TEST(Misfits, ANumberOfSpinesThatJoinsNoPods) {
  TestCluster cluster = {"", 32, 4, 8, 8, fabric_of(clos, 2, 8, 7)};
  EXPECT_FALSE(cluster.build().connected());
  const auto misfit = fabric_misfit(cluster.hosts, cluster.hosts_per_tor, cluster.hardware(), cluster.fabric);
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->what, "cluster.network.spines");
  EXPECT_THAT(misfit->suggestion, testing::HasSubstr("8 would"));
  cluster.fabric.spines = 8;
  EXPECT_TRUE(cluster.build().connected());
  cluster.fabric.spines = 7;  // or what else the suggestion says
  cluster.fabric.aggregations_per_pod = 7;
  EXPECT_TRUE(cluster.build().connected());
}

TEST(Misfits, AClusterThatIsTooLarge) {
  const TestCluster cluster = {"", 10'000'000, 1, 1000, 1000, fabric_of(rail_optimised, 8, 8, 64)};
  const auto misfit = size_misfit(cluster.hosts, 1, cluster.hardware(), cluster.fabric);
  ASSERT_TRUE(misfit);
  const auto most = static_cast<std::uint32_t>(std::stoul(misfit->suggestion));
  EXPECT_FALSE(size_misfit(most, 1, cluster.hardware(), cluster.fabric));
  EXPECT_TRUE(size_misfit(most + 1, 1, cluster.hardware(), cluster.fabric));
  const TestCluster widest = {"", 64, 1, 8, 8, fabric_of(clos, 8, 10'000'000, 10'000'000)};
  EXPECT_TRUE(size_misfit(64, 1, widest.hardware(), widest.fabric));
}

TEST(Structure, OfSixteenThousandGpus) {
  const Topology topology = TestCluster{"", 2048, 64, 8, 8, fabric_of(rail_optimised, 8, 8, 64)}.build();
  EXPECT_EQ(topology.shape().gpus(), 16'384);
  EXPECT_TRUE(topology.connected());
}

}  // namespace
}  // namespace gauntlet
