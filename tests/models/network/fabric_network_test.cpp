#include "models/network/fabric_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kData = static_cast<std::size_t>(Dimension::data);
constexpr double kNic = 50e9;

Hardware hosts_of_eight() {
  Hardware out;
  out.nvlink = {900e9};
  out.nic = {kNic};
  return out;
}

Fabric two_tors_a_pod(double oversubscription) {
  Fabric out;
  out.kind = oversubscription > 1 ? FabricKind::fat_tree : FabricKind::clos;
  out.tors_per_pod = 2;
  out.oversubscription = oversubscription;
  return out;
}

/// Eight hosts of the job and some more, two under a ToR switch.
FabricNetwork eight_hosts(double oversubscription, std::uint32_t more = 0) {
  return FabricNetwork({.tp = 8, .dp = 8}, hosts_of_eight(), 8 + more, 2, two_tors_a_pod(oversubscription));
}

Bandwidth data(const FabricNetwork& network, const NetworkState& state,
               const std::vector<BackgroundFlow>& background = {}) {
  return network.bandwidths(state, background)[kData].slowest();
}

TEST(FabricNetwork, SpreadsWhatADegradedAggregationSwitchLosesOverTheOthers) {
  const NetworkState state = {.nics = {}, .switches = {{SwitchKind::aggregation, 0, 4}}};
  // One hop of each of 8 rings leaves a ToR switch, whose up-links carry 16 NICs: 7 + 1/4 switches of 8 are enough.
  EXPECT_DOUBLE_EQ(data(eight_hosts(1), state).value, kNic);
  // At 2:1 they carry 8 NICs: all that the switch lost is missing.
  EXPECT_DOUBLE_EQ(data(eight_hosts(2), {}).value, kNic);
  EXPECT_DOUBLE_EQ(data(eight_hosts(2), state).value, kNic * 7.25 / 8);
}

TEST(FabricNetwork, TakesTheWorstOfSeveralThingsThatDegradeALink) {
  const NetworkState state = {.nics = {{0, kAllNics, 2}, {0, 3, 3}}, .switches = {{SwitchKind::tor, 0, 4}}};
  EXPECT_DOUBLE_EQ(data(eight_hosts(1), state).value, kNic / 4);
}

TEST(FabricNetwork, DoesNotMindADegradedSpare) {
  const NetworkState state = {.nics = {{8, kAllNics, 4}}, .switches = {}};
  EXPECT_TRUE(eight_hosts(1, 2).bandwidths(state)[kData].slow.empty());
}

TEST(FabricNetwork, SlowsWhereAnotherJobSharesTheFabric) {
  const FabricNetwork network = eight_hosts(4, 2);
  // At 4:1 a ToR switch sends 4 NICs' worth up, a pod of two of them 2. All 8 rings leave each pod once.
  EXPECT_DOUBLE_EQ(data(network, {}).value, kNic / 4);
  // Another job sends from host 4 to host 8, 8 flows out of the second pod.
  std::vector<BackgroundFlow> other;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) other.push_back({4 * 8 + gpu, 8 * 8 + gpu, gpu});
  const Bandwidths both = network.bandwidths({}, other);
  EXPECT_DOUBLE_EQ(both[kData].slowest().value, kNic / 8);
  EXPECT_EQ(both[kData].slow.size(), 8U);
  EXPECT_DOUBLE_EQ(both[kData].healthy.value, kNic / 4);
}

TEST(FabricNetwork, SlowsWhileARestoreStormsTheStorage) {
  // Storage is host 8, and every host of the job reads from it over rail 0: an eighth of storage's NIC each. The ring on that
  // rail keeps what is left of the hosts' NICs.
  const FabricNetwork network = eight_hosts(1, 1);
  std::vector<BackgroundFlow> restore;
  for (std::uint32_t host = 0; host < 8; ++host) restore.push_back({8 * 8, host * 8, 0});
  EXPECT_DOUBLE_EQ(data(network, {}, restore).value, kNic * 7 / 8);
  EXPECT_EQ(network.bandwidths({}, restore)[kData].slow.size(), 1U);  // the ring on rail 0
}

// A tensor-parallel group of 4 leaves a data-parallel ring two NICs in each host: without one the other has to do.
TEST(FabricNetwork, CarriesOnOverTheNicsThatAreLeft) {
  const Layout two = {.tp = 4, .dp = 16};
  const FabricNetwork network(two, hosts_of_eight(), 8, 2, two_tors_a_pod(1));
  const NetworkState state = {.nics = {{1, 6, kLost}}, .switches = {}};
  EXPECT_TRUE(carries_on(two, {.gpus = 8, .nics = 8}, state.nics));
  const DimensionBandwidth left = network.bandwidths(state)[kData];
  ASSERT_EQ(left.slow.size(), 1U);
  EXPECT_EQ(left.slow[0].group, 2U);
  EXPECT_DOUBLE_EQ(left.slow[0].bandwidth.value, kNic);
  EXPECT_DOUBLE_EQ(left.healthy.value, 2 * kNic);
  // The other one of the same ring, in another host.
  EXPECT_FALSE(
      carries_on(two, {.gpus = 8, .nics = 8}, std::vector<DegradedNic>{{1, 6, kLost}, {5, 2, kLost}}));
  EXPECT_FALSE(carries_on({.tp = 8, .dp = 8}, {.gpus = 8, .nics = 8}, state.nics));
}

World world_of(double oversubscription) {
  World world;
  world.hardware = hosts_of_eight();
  world.inventory.job_hosts = 8;
  world.inventory.hosts_per_tor = 2;
  world.fabric = two_tors_a_pod(oversubscription);
  world.job.layout = {.tp = 8, .dp = 8};
  return world;
}

TEST(NetworkOf, KnowsTheSwitchesWhereTheyMatter) {
  EXPECT_FALSE(narrows(world_of(1)));
  EXPECT_TRUE(narrows(world_of(4)));
  EXPECT_DOUBLE_EQ(network_of(world_of(1))({})[kData].healthy.value, kNic);
  EXPECT_DOUBLE_EQ(network_of(world_of(4))({})[kData].healthy.value, kNic / 4);
  const NetworkState tor = {.nics = {}, .switches = {{SwitchKind::tor, 0, 4}}};
  EXPECT_DOUBLE_EQ(network_of(world_of(1))(tor)[kData].slowest().value, kNic / 4);
  World above = world_of(1);  // aggregation switches alone: two pods feel it, one does not
  above.fabric.oversubscription = 4;
  EXPECT_TRUE(narrows(above));
  above.fabric.tors_per_pod = 4;
  EXPECT_FALSE(narrows(above));
  EXPECT_FALSE(network_misfit(world_of(4)));
  World large = world_of(4);
  large.inventory.job_hosts = 1'000'000;
  EXPECT_TRUE(network_misfit(large));
  large.fabric.oversubscription = 1;
  EXPECT_FALSE(network_misfit(large));
}

TEST(NetworkOf, CountsOtherTrafficAsHealthy) {
  World world = world_of(1);
  world.inventory.spares = 1;
  std::vector<BackgroundFlow> restore;
  for (std::uint32_t host = 0; host < 8; ++host) restore.push_back({8 * 8, host * 8, 0});
  const DimensionBandwidth data = max_min_network(world, Ecmp::spread, restore)({})[kData];
  EXPECT_DOUBLE_EQ(data.healthy.value, kNic * 7 / 8);
  EXPECT_TRUE(data.slow.empty());
}

TEST(FabricNetwork, LosesToCollidingHashes) {
  const Layout pairs = {.tp = 8, .pp = 8};
  const auto rate = [&](Ecmp ecmp) {
    const FabricNetwork network(pairs, hosts_of_eight(), 8, 1, two_tors_a_pod(1), ecmp);
    return network.bandwidths({})[static_cast<std::size_t>(Dimension::pipeline)].healthy.value;
  };
  EXPECT_DOUBLE_EQ(rate(Ecmp::spread), kNic);
  // 8 flows over 8 up-links as wide as a NIC: with hashes some link has two at the least.
  EXPECT_LE(rate(Ecmp::hashed), kNic / 2);
}

TEST(FabricNetwork, IsAskedOnceForEachState) {
  int asked = 0;
  const Network network = remembering([&](const NetworkState& state) {
    Bandwidths out;
    out[kData].healthy = {static_cast<double>(state.nics.size())};
    ++asked;
    return out;
  });
  const NetworkState one = {.nics = {{0, 1, 2}}, .switches = {}};
  EXPECT_EQ(network({})[kData].healthy.value, 0);
  EXPECT_EQ(network(one)[kData].healthy.value, 1);
  EXPECT_EQ(network(one)[kData].healthy.value, 1);
  EXPECT_EQ(network({})[kData].healthy.value, 0);
  EXPECT_EQ(asked, 2);
}

/// Who sends to whom: GPUs, from the ends of the flows' paths.
std::multimap<std::uint32_t, std::uint32_t> hops(const FabricLinks& links, const CommunicatorFlows& flows) {
  const Topology& topology = links.topology();
  std::map<std::uint32_t, std::uint32_t> from, to;  // by wire; links at GPUs are wires of their own
  for (std::uint32_t gpu = 0; gpu < topology.shape().gpus(); ++gpu)
    for (const LinkNumber link : topology.links_at(*topology.find(VertexKind::gpu, gpu))) {
      const bool leaves = topology.vertices()[topology.links()[link].from] == Vertex{VertexKind::gpu, gpu};
      (leaves ? from : to)[links.wire_of(link)] = gpu;
    }
  std::multimap<std::uint32_t, std::uint32_t> out;
  for (std::size_t f = 0; f < flows.group.size(); ++f)
    out.emplace(from.at(flows.flows.links[flows.flows.begin[f]]),
                to.at(flows.flows.links[flows.flows.begin[f + 1] - 1]));
  return out;
}

TEST(Communicators, RingsLeaveHostsThroughEveryMembersNic) {
  const Layout layout = {.tp = 4, .dp = 6};  // ranks 0, 4, ... 20: two in each of three hosts
  const FabricLinks links(Topology(3, 2, hosts_of_eight(), two_tors_a_pod(1)), Ecmp::spread);
  const CommunicatorFlows flows = flows_of(links, layout, Dimension::data);
  std::multimap<std::uint32_t, std::uint32_t> first;
  for (const auto& [from, to] : hops(links, flows))
    if (from % 4 == 0) first.emplace(from, to);
  const std::multimap<std::uint32_t, std::uint32_t> expected = {{0, 4},   {0, 8},   {4, 12}, {8, 12}, {8, 16},
                                                                {12, 20}, {16, 20}, {16, 0}, {20, 4}};
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), expected.begin(), expected.end()));
}

TEST(Communicators, TreesReachEveryHostTwiceAndLoadNoneMoreThanARing) {
  for (std::uint32_t hosts = 2; hosts <= 17; ++hosts) {
    SCOPED_TRACE(hosts);
    const Layout layout = {.tp = 8, .dp = hosts};
    const FabricLinks links(Topology(hosts, 2, hosts_of_eight(), two_tors_a_pod(1)), Ecmp::spread);
    const CommunicatorFlows flows = flows_of(links, layout, Dimension::data, Pattern::tree);
    std::map<std::uint32_t, int> sends;
    std::set<std::uint32_t> reached{0};
    const auto all = hops(links, flows);
    for (const auto& [from, to] : all)
      if (from % 8 == 0) ++sends[from];
    for (std::uint32_t i = 0; i < hosts; ++i)
      for (const auto& [from, to] : all)
        if (from % 8 == 0 && reached.contains(from)) reached.insert(to);
    EXPECT_EQ(reached.size(), hosts);
    EXPECT_EQ(all.size(), 8U * 4 * (hosts - 1));
    for (const auto& [from, times] : sends) EXPECT_LE(times, 4) << from;
    const std::vector<double> rates =
        rates_of_groups(flows, max_min_rates(flows.flows, links.capacities({})), 8, 1e12);
    for (const double rate : rates) EXPECT_GE(rate, kNic * (1 - 1e-9));
  }
}

TEST(Communicators, AllToAllSendsEveryByteOnce) {
  const Layout layout = {.tp = 2, .dp = 16, .ep = 16};
  const FabricLinks links(Topology(4, 2, hosts_of_eight(), two_tors_a_pod(1)), Ecmp::spread);
  const CommunicatorFlows flows = flows_of(links, layout, Dimension::expert);
  EXPECT_EQ(flows.group.size(), 32U * 4);  // each rank to one in its host, and to three other hosts
  double all = 0;
  for (const double share : flows.share) all += share;
  EXPECT_NEAR(all, 32, 1e-9);
}

}  // namespace
}  // namespace gauntlet
