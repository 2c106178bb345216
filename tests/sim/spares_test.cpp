// In which order a job gets the hosts that stand by, and when.
#include "sim/hosts/spares.hpp"

#include "sim/sim_cluster.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <map>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Four hosts with warm, cold and pooled spares after them; nothing ever breaks by itself, and repairs take a day.
World spares_world(std::uint32_t warm, std::uint32_t cold, std::uint32_t pool) {
  World world = one_fault_world(4, Law::exponential(1));
  world.faults.clear();
  world.job.step_time = 1s;
  world.inventory.spares = warm + cold + pool;
  world.spares = {.cold = cold,
                  .cold_time = Law::constant(600),
                  .pool = pool,
                  .preemption = Law::constant(1200),
                  .selection = Law::constant(180)};
  world.repair.time = Law::constant(24 * 3600);
  return world;
}

struct Grant {
  std::uint32_t host;
  Duration at;
  friend bool operator==(const Grant&, const Grant&) = default;
};
void PrintTo(const Grant& grant, std::ostream* out) {
  *out << "host " << grant.host << " after " << to_text(grant.at);
}

/// Hosts are replaced by order; those that come back are readmitted.
class Roll {
 public:
  explicit Roll(const World& world) : cluster_(world) { cluster_.reset({.study = 1}, false); }
  void replace(std::uint32_t host) {
    cluster_.start({OrderId{++orders_}, Evict{HostId{host}}});
    cluster_.start({OrderId{++orders_}, Acquire{JobId{0}}});
  }
  void evict(std::uint32_t host) { cluster_.start({OrderId{++orders_}, Evict{HostId{host}}}); }
  void advance(Duration until) {
    while (const auto seen = cluster_.next(kStart + until)) {
      if (const auto* back = std::get_if<HostReturned>(&seen->what))
        cluster_.start({OrderId{++orders_}, Readmit{back->host}});
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      const auto* granted = outcome == nullptr ? nullptr : std::get_if<Granted>(&outcome->result);
      if (granted != nullptr) grants.push_back({granted->host.value, seen->at - kStart});
    }
  }
  const SpareCounts& counts() const { return cluster_.spares_used(); }

  std::vector<Grant> grants;

 private:
  SimCluster cluster_;
  std::uint64_t orders_ = 0;
};

TEST(Spares, WarmThenColdThenTheOtherJobs) {
  const World world = spares_world(1, 1, 2);
  Roll roll(world);
  for (std::uint32_t host = 0; host < 3; ++host) roll.replace(host);
  roll.advance(10h);
  EXPECT_EQ(roll.grants, (std::vector<Grant>{{4, 0min}, {5, 13min}, {6, 23min}}));
  EXPECT_EQ(roll.counts(), (SpareCounts{.selections = 2, .preemptions = 1}));
}

TEST(Spares, SelectionMakesUpTheStandbysFromColdHostsAlone) {
  const World world = spares_world(2, 3, 1);
  Roll roll(world);
  for (std::uint32_t host = 0; host < 3; ++host) roll.replace(host);  // both warm ones, and one that is cold
  roll.advance(1h);
  EXPECT_EQ(roll.grants, (std::vector<Grant>{{4, 0min}, {5, 0min}, {6, 13min}}));
  roll.replace(4);
  roll.replace(5);
  roll.advance(2h);  // two more had been set up beside it
  EXPECT_EQ(roll.grants.back(), (Grant{8, 1h}));
  EXPECT_EQ(roll.counts(), (SpareCounts{.selections = 1, .preemptions = 0}));
}

TEST(Spares, AHostThatComesBackServesWhoeverWaits) {
  const World world = spares_world(0, 0, 1);
  Roll roll(world);
  roll.replace(0);
  roll.advance(1h);
  EXPECT_EQ(roll.grants, (std::vector<Grant>{{4, 23min}}));
  roll.replace(1);
  roll.advance(48h);  // nobody is left but host 0, which is back after a day
  EXPECT_EQ(roll.grants.back(), (Grant{0, 24h}));
}

TEST(Spares, WhoBrokeOnTheWayDoesNotCome) {
  const World world = spares_world(0, 2, 0);
  Roll roll(world);
  roll.replace(0);
  roll.evict(4);
  roll.advance(1h);
  EXPECT_EQ(roll.grants, (std::vector<Grant>{{5, 13min}}));
}

}  // namespace
}  // namespace gauntlet
