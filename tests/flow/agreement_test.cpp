// The closed form, our max-min solver and SimGrid say the same of a network, healthy and degraded.
#include "core/random/stream.hpp"
#include "flow/network.hpp"
#include "tests/flow/flow_tests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kHostsPerTor = 2;

struct Row {
  const char* name;
  Fabric fabric;
  Layout layout;
  std::uint32_t nics = 8;
  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

const Fabric kRails = fabric_of(FabricKind::rail_optimised), kClos = fabric_of(FabricKind::clos),
             kHalf = fabric_of(FabricKind::fat_tree, 2);

// Sixteen hosts are four pods of two ToR switches (or groups of rail switches) with two hosts each. Every dimension is within
// a host, over NICs with one member in a host, and over NICs with several, in one row or another.
const std::vector<Row> kRows = {
    {"clos, 1 host", kClos, {.tp = 2, .pp = 2, .dp = 2}},
    {"clos, 2 hosts: data over NICs", kClos, {.tp = 8, .dp = 2}},
    {"clos, 2 hosts: pipeline over NICs", kClos, {.tp = 2, .pp = 2, .dp = 4}},
    {"clos, 2 hosts: tensor over NICs", kClos, {.tp = 16}},
    {"clos, 2 hosts: experts over NICs", kClos, {.tp = 1, .dp = 16, .ep = 16}},
    {"clos, 16 hosts", kClos, {.tp = 8, .pp = 4, .dp = 4}},
    {"clos, 16 hosts: context over NICs", kClos, {.tp = 4, .pp = 2, .dp = 4, .virtual_stages = 2, .cp = 4}},
    {"clos, 16 hosts: experts of 4 hosts", kClos, {.tp = 1, .pp = 2, .dp = 64, .ep = 32}},
    {"clos, 16 hosts with 4 NICs", kClos, {.tp = 4, .pp = 2, .dp = 16}, 4},
    {"clos, 16 hosts with 16 NICs", kClos, {.tp = 8, .pp = 4, .dp = 4}, 16},
    {"clos, 3 hosts: tensor groups across hosts", kClos, {.tp = 6, .dp = 4}},
    {"clos, 16 hosts with 12 NICs", kClos, {.tp = 4, .pp = 2, .dp = 16}, 12},
    {"clos, 8 hosts with 1 NIC", kClos, {.tp = 4, .pp = 16}, 1},
    {"clos, 9 hosts: groups cut by hosts",
     kClos,
     {.tp = 3, .pp = 3, .dp = 8, .virtual_stages = 2, .ep = 2},
     6},
    {"rails, 2 hosts", kRails, {.tp = 4, .pp = 2, .dp = 2}},
    {"rails, 16 hosts", kRails, {.tp = 8, .pp = 4, .dp = 4, .virtual_stages = 2}},
    {"rails, 16 hosts: two members in a host", kRails, {.tp = 4, .pp = 4, .dp = 8}},
    {"rails, 16 hosts: experts of 2 hosts", kRails, {.tp = 2, .pp = 1, .dp = 64, .ep = 8}},
    {"rails, 16 hosts with 4 NICs", kRails, {.tp = 8, .pp = 2, .dp = 8}, 4},
    {"fat tree 2:1, 2 hosts", kHalf, {.tp = 8, .dp = 2}},
    {"fat tree 2:1, 16 hosts", kHalf, {.tp = 8, .pp = 4, .dp = 4}},
    {"fat tree 2:1, 16 hosts: two members in a host", kHalf, {.tp = 4, .pp = 2, .dp = 16}},
    {"fat tree 2:1, 16 hosts: experts of 4 hosts", kHalf, {.tp = 1, .pp = 2, .dp = 64, .ep = 32}},
};

struct State {
  const char* name;
  NetworkState state;
};

std::vector<State> states_of(std::uint32_t hosts) {
  const std::uint32_t slot = hosts > 1 ? 1 : 0;
  return {{"healthy", {}},
          {"a NIC at a quarter", {.nics = {{slot, 2, 4}}, .switches = {}}},
          {"a host's NICs at a quarter", {.nics = {{slot, kAllNics, 4}}, .switches = {}}},
          {"a NIC lost", {.nics = {{slot, 2, kLost}}, .switches = {}}},
          {"a ToR switch at a quarter", {.nics = {}, .switches = {{SwitchKind::tor, 0, 4}}}}};
}

/// A ToR switch that is slow on every link leaves the NICs under it as much: the state with those NICs degraded instead.
NetworkState without_switches(const NetworkState& state, const FabricShape& shape) {
  NetworkState out{.nics = state.nics, .switches = {}};
  for (const DegradedSwitch& tor : state.switches)
    for (std::uint32_t host = 0; host < shape.hosts; ++host)
      for (std::uint32_t nic = 0; nic < shape.nics_per_host; ++nic)
        if (shape.tor_of(host, nic) == tor.index) out.nics.push_back({host, nic, tor.factor});
  return out;
}

void expect_agreement(const Bandwidths& one, const Bandwidths& other, const Layout& layout,
                      const std::string& who) {
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const Dimension dimension = static_cast<Dimension>(i);
    EXPECT_EQ(one[i].over_nics, other[i].over_nics) << who << ", dimension " << i;
    EXPECT_NEAR(one[i].healthy / other[i].healthy, 1, kAgree) << who << ", dimension " << i;
    double worst = 0;
    std::uint32_t where = 0;
    for (std::uint32_t group = 0; group < layout.groups(dimension); ++group)
      if (const double off = std::abs(one[i].of_group(group) / other[i].of_group(group) - 1); off > worst) {
        worst = off;
        where = group;
      }
    EXPECT_LE(worst, kAgree) << who << ", dimension " << i << ", group " << where << ": "
                             << one[i].of_group(where).value << " and " << other[i].of_group(where).value;
  }
}

class Agreement : public testing::TestWithParam<Row> {};

TEST_P(Agreement, OfAllNetworks) {
  const Row& row = GetParam();
  const Hardware hardware = hgx(row.nics);
  const std::uint32_t hosts = row.layout.ranks() / hardware.gpus_per_host;
  const FabricNetwork fabric(row.layout, hardware, hosts, kHostsPerTor, row.fabric);
  const Network closed = closed_form_network(row.layout, hardware);
  std::vector<NetworkState> states;
  std::vector<const char*> names;
  for (const State& state : states_of(hosts))
    if (carries_on(row.layout, {.gpus = hardware.gpus_per_host, .nics = row.nics}, state.state.nics)) {
      states.push_back(state.state);
      names.push_back(state.name);
    }
  GAUNTLET_NEEDS_SIMGRID();
  const std::vector<Bandwidths> measured = simgrid_bandwidths(fabric, states, built_program());

  for (std::size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(names[i]);
    const Bandwidths flows = fabric.bandwidths(states[i]);
    // The closed form is not defined where switches narrow.
    if (row.fabric.oversubscription == 1)
      expect_agreement(flows, closed(without_switches(states[i], fabric.links().topology().shape())),
                       row.layout, "max-min and closed form");
    expect_agreement(flows, measured[i], row.layout, "max-min and SimGrid");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Agreement, testing::ValuesIn(kRows));

// What the rows are made of, in numbers, so that three equal mistakes would show.
TEST(AgreementTable, HasTheFiguresOfTheWires) {
  const auto data = [](const Layout& layout, const Fabric& fabric, const NetworkState& state) {
    const FabricNetwork network(layout, hgx(8), layout.ranks() / 8, kHostsPerTor, fabric);
    return network.bandwidths(state)[static_cast<std::size_t>(Dimension::data)];
  };
  const Layout one = {.tp = 8, .pp = 4, .dp = 4}, two = {.tp = 4, .pp = 4, .dp = 8};
  EXPECT_DOUBLE_EQ(data(one, kClos, {}).healthy.value, 50e9);   // one NIC
  EXPECT_DOUBLE_EQ(data(two, kClos, {}).healthy.value, 100e9);  // those of two members
  // Groups of 4 consecutive hosts under two ToR switches of one pod. Of a ring's 4 hops, 2 leave a ToR switch, one each: 8
  // groups share an up-link of 8 x 2 x 50 / 2 GB/s, so nothing narrows.
  EXPECT_DOUBLE_EQ(data(one, kHalf, {}).healthy.value, 50e9);
  const NetworkState nic = {.nics = {{1, 2, 4}}, .switches = {}};
  EXPECT_DOUBLE_EQ(data(one, kClos, nic).slowest().value, 12.5e9);
  EXPECT_EQ(data(one, kClos, nic).slow.size(), 1U);               // the ring on that rail
  EXPECT_DOUBLE_EQ(data(two, kClos, nic).slowest().value, 25e9);  // both channels go at the slow one's pace
  // In stages of 4 hosts every pair leaves its ToR switch, and its pod: 16 flows share 400 GB/s, then 32 share 400 GB/s.
  const FabricNetwork half(one, hgx(8), 16, kHostsPerTor, kHalf);
  EXPECT_DOUBLE_EQ(half.bandwidths({})[static_cast<std::size_t>(Dimension::pipeline)].healthy.value, 12.5e9);
}

// The closed form counts few hosts, and these layouts cut groups in all ways.
TEST(AgreementTable, HoldsForLayoutsDrawnAtRandom) {
  Stream random({.study = 17}, stream_name("test.agreement"));
  const auto one_of = [&](std::initializer_list<std::uint32_t> all) {
    return all.begin()[random.below(all.size())];
  };
  int lost = 0;
  for (int drawn = 0; drawn < 150;) {
    const Hardware hardware = hgx(one_of({1, 2, 3, 4, 6, 8, 12, 16}));
    const HostShape host = {.gpus = hardware.gpus_per_host, .nics = hardware.nics_per_host};
    Layout layout = {.tp = one_of({1, 2, 3, 4, 6, 8, 12, 16}),
                     .pp = one_of({1, 1, 2, 3, 4, 5}),
                     .dp = one_of({1, 2, 3, 4, 5, 6, 7, 8}),
                     .virtual_stages = one_of({1, 2}),
                     .cp = one_of({1, 1, 2})};
    layout.ep = one_of({1, 2, layout.dp});
    if (layout.ranks() % host.gpus != 0 || layout.dp % layout.ep != 0) continue;
    ++drawn;
    SCOPED_TRACE(testing::Message() << "study 17, drawn " << drawn << ": tp " << layout.tp << ", cp "
                                    << layout.cp << ", dp " << layout.dp << ", pp " << layout.pp << ", ep "
                                    << layout.ep << ", NICs " << host.nics);
    const std::uint32_t hosts = layout.ranks() / host.gpus;
    const FabricNetwork fabric(layout, hardware, hosts, kHostsPerTor, kClos);
    const Network closed = closed_form_network(layout, hardware);
    const auto slot = static_cast<std::uint32_t>(random.below(hosts));
    const auto nic = static_cast<std::uint32_t>(random.below(host.nics));
    for (const double factor : {1.0, 4.0, kLost}) {
      const NetworkState state = {.nics = {{slot, nic, factor}}, .switches = {}};
      if (!carries_on(layout, host, state.nics)) continue;
      if (factor == kLost) ++lost;
      expect_agreement(fabric.bandwidths(state), closed(state), layout, "max-min and closed form");
    }
  }
  EXPECT_GT(lost, 10);
}

// A large cluster shows SimGrid a few groups only; a small one shows that those get what they get among all.
TEST(AgreementTable, HoldsForChosenGroups) {
  GAUNTLET_NEEDS_SIMGRID();
  for (const Fabric& fabric : {kRails, kClos, kHalf})
    for (const Layout& layout :
         {Layout{.tp = 4, .pp = 4, .dp = 8}, Layout{.tp = 1, .pp = 2, .dp = 64, .ep = 32}}) {
      const FabricNetwork network(layout, hgx(4), 16, kHostsPerTor, fabric);
      std::vector<NetworkState> states;
      std::vector<const char*> names;
      for (const State& state : states_of(16))
        if (carries_on(layout, {.gpus = 8, .nics = 4}, state.state.nics)) {
          states.push_back(state.state);
          names.push_back(state.name);
        }
      const std::vector<Bandwidths> measured = simgrid_bandwidths(network, states, built_program(), 1);
      for (std::size_t i = 0; i < states.size(); ++i) {
        SCOPED_TRACE(names[i]);
        const Bandwidths flows = network.bandwidths(states[i]);
        for (std::size_t d = 0; d < kDimensions; ++d) {
          EXPECT_NEAR(measured[i][d].healthy / flows[d].healthy, 1, kAgree) << "dimension " << d;
          EXPECT_NEAR(measured[i][d].slowest() / flows[d].slowest(), 1, kAgree) << "dimension " << d;
        }
      }
    }
}

TEST(AgreementTable, HoldsForEachPattern) {
  GAUNTLET_NEEDS_SIMGRID();
  for (const std::uint32_t hosts : {1U, 2U, 3U, 16U}) {
    const Layout layout = {.tp = 2, .dp = 4 * hosts};
    const FabricLinks links(Topology(hosts, kHostsPerTor, hgx(8), kRails), Ecmp::spread);
    const std::vector<double> capacities = links.capacities({});
    for (const Pattern pattern : {Pattern::ring, Pattern::tree, Pattern::all_to_all, Pattern::pairs}) {
      SCOPED_TRACE(testing::Message() << hosts << " hosts, pattern " << static_cast<int>(pattern));
      const CommunicatorFlows flows = flows_of(links, layout, Dimension::data, pattern);
      const std::vector<double> rates =
          rates_of_groups(flows, max_min_rates(flows.flows, capacities), 2, hgx(8).nvlink.value / 2);
      const std::vector<double> seconds = simgrid_seconds(flows, capacities, 2, 100e9, built_program());
      for (std::size_t group = 0; group < 2; ++group)
        EXPECT_NEAR(100e9 / seconds[group] / rates[group], 1, kAgree);
    }
  }
}

TEST(AgreementTable, HoldsWhereHashesCollide) {
  GAUNTLET_NEEDS_SIMGRID();
  const Layout layout = {.tp = 8, .pp = 4, .dp = 4};
  const FabricNetwork hashed(layout, hgx(8), 16, kHostsPerTor, kClos, Ecmp::hashed);
  const NetworkState states[] = {{}, {.nics = {}, .switches = {{SwitchKind::aggregation, 1, 4}}}};
  const std::vector<Bandwidths> measured = simgrid_bandwidths(hashed, states, built_program());
  for (std::size_t i = 0; i < 2; ++i)
    expect_agreement(hashed.bandwidths(states[i]), measured[i], layout, "max-min and SimGrid");
  const std::size_t pipeline = static_cast<std::size_t>(Dimension::pipeline);
  EXPECT_LT(measured[0][pipeline].healthy.value, 0.7 * 50e9);  // flows share links though others are idle
}

}  // namespace
}  // namespace gauntlet
