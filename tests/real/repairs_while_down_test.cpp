// The controller over real agents: a host that is lost while the job waits for another one is sent to repair at once.
#include "policies/controller/controller.hpp"
#include "tests/real/cluster_harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Whoever is silent for 2 s is replaced without any probe.
PolicyConstants replaces_the_silent() {
  PolicyConstants policies;
  policies.names = {.detect = {"heartbeat"},
                    .diagnose = "suite",
                    .checkpoint = "fixed",
                    .restore = "one-reader",
                    .recover = "replace",
                    .retire = "never"};
  policies.detection.heartbeat_timeout = 2s;
  policies.detection.collective_timeout = 10min;
  policies.checkpoint.interval = 10min;
  return policies;
}

struct RepairsWhileDown : RealClusters {
  DrillSetup setup(std::uint64_t epoch) const override {
    DrillSetup setup = RealClusters::setup(epoch);
    setup.answers_within = 2s;  // what a silent agent may delay the order to stop
    return setup;
  }

  /// Observations to the controller and its orders to the cluster, until `holds` is true.
  void go_on_until(RealCluster& cluster, const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (Time until = kStart; !holds(); until += 10ms) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("what was awaited was not ordered");
      const std::optional<Observed> seen = cluster.next(until);
      if (!seen) continue;
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      trains = trains || (outcome != nullptr && outcome->order == start && outcome->status == Status::done);
      orders.clear();
      controller.on(*seen, orders);
      for (const Order& order : orders) obey(cluster, order);
    }
  }
  void obey(RealCluster& cluster, const Order& order) {
    given.push_back(order.what);
    cluster.start(order);
    if (!std::holds_alternative<Start>(order.what)) return;
    start = order.id;
    for (const std::uint32_t rank : {0U, 1U}) trainer.say(rank, "5 up 0");
  }
  void evicts(RealCluster& cluster, std::uint32_t host) {
    go_on_until(cluster, [&] {
      return std::any_of(given.begin(), given.end(), [&](const Action& what) {
        const auto* evict = std::get_if<Evict>(&what);
        return evict != nullptr && evict->host == HostId{host};
      });
    });
  }

  PolicyConstants policies = replaces_the_silent();
  Controller controller{policies};
  Orders orders;
  std::vector<Action> given;
  OrderId start;
  bool trains = false;
  const Record nothing{};
};

TEST_F(RepairsWhileDown, AHostThatIsLostWhileTheJobWaitsIsEvictedAtOnce) {
  // No spare, and a repair takes an hour: the job waits for as long as this test goes on.
  RealCluster cluster(world, setup(1), nothing, platform);
  go_on_until(cluster, [this] { return trains; });
  stop_agent_of(0);
  evicts(cluster, 0);
  stop_agent_of(1);
  evicts(cluster, 1);
  const auto ordered = [this](const auto& kind) { return std::count_if(given.begin(), given.end(), kind); };
  EXPECT_EQ(ordered([](const Action& what) { return std::holds_alternative<Acquire>(what); }), 2);
  EXPECT_EQ(ordered([](const Action& what) { return std::holds_alternative<Start>(what); }), 1);
  EXPECT_EQ(ordered([](const Action& what) { return std::holds_alternative<Readmit>(what); }), 0);
}

}  // namespace
}  // namespace gauntlet
