// What a lab would be: addresses, bridges and quotas, without making anything.
#include "real/lab/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

World world_of(std::uint32_t hosts, std::uint32_t spares, std::uint32_t hosts_per_tor) {
  World world;
  world.inventory.job_hosts = hosts;
  world.inventory.spares = spares;
  world.inventory.hosts_per_tor = hosts_per_tor;
  world.fabric.kind = FabricKind::clos;
  return world;
}

LabPlan planned(const World& world, unsigned cores = 2) {
  LabPlan plan;
  EXPECT_FALSE(plan_lab(world, "drills/gauntlet-drill-Ab3dEf", cores, plan));
  return plan;
}

TEST(LabPlans, GiveEachHostAddressesOfItsOwn) {
  const LabPlan plan = planned(world_of(7, 1, 2));
  ASSERT_EQ(plan.hosts.size(), 8U) << "spare hosts have agents too";
  std::set<std::string> addresses = {plan.driver_address}, ports;
  for (const LabHost& host : plan.hosts) {
    for (const LabInterface* each : {&host.management, &host.data[0], &host.data[1]}) {
      addresses.insert(each->address);
      ports.insert(each->port);
      EXPECT_LE(each->port.size(), 15U) << "the kernel's bound on names";
    }
  }
  EXPECT_EQ(addresses.size(), 8U * 3 + 1);
  EXPECT_EQ(ports.size(), 8U * 3);
  EXPECT_EQ(plan.hosts[3].management.address, "198.18.0.5");
  EXPECT_EQ(plan.hosts[3].data[1].address, "198.19.1.5");
}

TEST(LabPlans, ConnectDataInterfacesToTheTorSwitchesOfTheScenario) {
  const LabPlan plan = planned(world_of(4, 0, 2));
  EXPECT_EQ(plan.tors, (std::vector<std::string>{"tor0", "tor1"}));
  for (const LabHost& host : plan.hosts) {
    EXPECT_EQ(host.data[0].bridge, host.number < 2 ? "tor0" : "tor1");
    EXPECT_EQ(host.data[1].bridge, host.data[0].bridge) << "all NICs of a host are under one ToR switch";
    EXPECT_EQ(host.management.bridge, kManagementBridge);
  }
}

TEST(LabPlans, ConnectEachRailToASwitchOfItsOwn) {
  World world = world_of(4, 0, 4);
  world.fabric.kind = FabricKind::rail_optimised;
  for (const LabHost& host : planned(world).hosts) {
    EXPECT_EQ(host.data[0].bridge, "tor0");
    EXPECT_EQ(host.data[1].bridge, "tor1");
  }
}

TEST(LabPlans, ShareFourFifthsOfTheProcessors) {
  // 0.8 * 2 processors / 4 hosts = 0.4 of each period of 100 ms.
  for (const LabHost& host : planned(world_of(4, 0, 2), 2).hosts) EXPECT_EQ(host.quota_us, 40'000);
  std::int64_t all = 0;
  for (const LabHost& host : planned(world_of(7, 0, 2), 3).hosts) all += host.quota_us;
  EXPECT_LE(all, 3 * kQuotaPeriodUs * 8 / 10);
  EXPECT_GT(all, 3 * kQuotaPeriodUs * 8 / 10 - 7) << "a microsecond a host is lost to rounding";
}

TEST(LabPlans, SpreadClocksUpToTheLastHost) {
  World world = world_of(4, 0, 2);
  for (const LabHost& host : planned(world).hosts) EXPECT_EQ(host.clock_offset, 0s);
  world.drill.clock_spread = 100s;
  const LabPlan plan = planned(world);
  EXPECT_EQ(plan.hosts[0].clock_offset, 25s);
  EXPECT_EQ(plan.hosts[3].clock_offset, 100s);
}

TEST(LabPlans, CarryTheDrillsId) {
  const LabPlan plan = planned(world_of(1, 0, 1));
  EXPECT_EQ(plan.cgroup, "gauntlet-lab-Ab3dEf");
}

TEST(LabPlans, HaveAddressesForSoManyHosts) {
  LabPlan plan;
  EXPECT_FALSE(plan_lab(world_of(kMostLabHosts, 0, 10), "x-1", 64, plan));
  EXPECT_EQ(plan.hosts.back().management.address, "198.18.0.251");
  const auto refused = plan_lab(world_of(kMostLabHosts, 1, 10), "x-1", 64, plan);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->text(), HasSubstr("has addresses for 250 hosts, and the scenario has 251"));
}

TEST(LabPlans, MakeEveryInterfaceOnceAndOnItsBridge) {
  const LabPlan plan = planned(world_of(2, 0, 1));
  const std::string text = network_commands(plan, {"/proc/7/fd/3", "/proc/7/fd/5"});
  EXPECT_THAT(
      text,
      HasSubstr(
          "link add h1d0 type veth peer name data0 netns /proc/7/fd/5\nlink set h1d0 master tor1 up\n"));
  EXPECT_THAT(text,
              HasSubstr("link add tor1-up type veth peer name tor1-down\nlink set tor1-up master tor1 up\n"
                        "link set tor1-down master spine up\n"));
  EXPECT_THAT(network_commands(plan.hosts[1]),
              HasSubstr("addr add 198.19.0.3/24 dev data0\nlink set data0 up\n"));
  EXPECT_THAT(text, Not(HasSubstr("addr add 198.19"))) << "addresses of hosts lie in their namespaces";
}

}  // namespace
}  // namespace gauntlet
