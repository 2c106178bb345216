// Log lines of the victims of a stop: a watch that is ordered while the ranks abort counts those that abort from then on.
#include "tests/sim/hand_driven.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr PatternId kPeerLost{1};
constexpr Time kFirstStop = kStart + 100s, kSecondStop = kStart + 600s;

/// Half a minute after a wave of a stop, and before the next wave.
Time after_wave(int wave, Time stop = kFirstStop) { return stop + wave * 1min + 30s; }

/// Three stages of four replicas, a rank on each host: stage 0 has hosts 0 to 3. The ranks of host 1 crash twice. The others abort in
/// waves, a minute after each other: hosts 0, 2, 3 and 5; hosts 4, 6, 7 and 9; hosts 8, 10 and 11.
World three_waves() {
  World world = tiered_world();
  world.inventory.job_hosts = 12;
  world.inventory.layout = world.job.layout = {.pp = 3, .dp = 4};
  world.job.global_batch = 12;
  world.telemetry.abort_hop = 1min;
  add_crashes(world, ComponentKind::host, {{kFirstStop, 1}, {kSecondStop, 1}});
  world.faults[0].remedy = Remedy::restart;
  return world;
}

Watch lines(std::uint32_t id, const Scope& who, std::uint16_t first) {
  return {
      .id = WatchId{id}, .signal = Signal::log_line, .who = who, .until = Match{kPeerLost}, .first = first};
}

/// By watch, what it tells until then: the hosts, and how many more.
std::map<std::uint32_t, std::vector<std::string>> told_until(Driver& driver, Time until) {
  std::map<std::uint32_t, std::vector<std::string>> told;
  for (const Seen& seen : driver.heard_until(until))
    told[seen.watch.value].push_back(std::to_string(seen.who.index) +
                                     (seen.more > 0 ? " and " + std::to_string(seen.more) : ""));
  return told;
}

TEST(LogLines, AWatchThatIsOrderedWithinAStopCountsThoseThatAbortFromThenOn) {
  const Scope job = Scope::hosts_of(JobId{0});
  Driver driver(three_waves());
  driver.give(lines(1, job, 2));
  auto told = told_until(driver, after_wave(1));
  EXPECT_THAT(told[1], ElementsAre("0", "2"));
  driver.give(lines(2, job, 2));
  driver.give(lines(3, job, kEachMember));
  driver.give(lines(4, Scope::hosts_of_stage(JobId{0}, 1), 1));
  told = told_until(driver, after_wave(2));
  EXPECT_THAT(told[2], ElementsAre("4", "6"));
  EXPECT_THAT(told[3], ElementsAre("4", "6", "7", "9"));
  EXPECT_THAT(told[4], ElementsAre("4"));
  driver.give(lines(5, job, 1));
  told = told_until(driver, after_wave(3));
  EXPECT_THAT(told[1], ElementsAre("3 and 8"));  // of 11 in all
  EXPECT_THAT(told[2], ElementsAre("7 and 4"));  // of 7 in the last two waves
  EXPECT_THAT(told[3], ElementsAre("8", "10", "11"));
  EXPECT_THAT(told[4], ElementsAre("6 and 1"));        // of hosts 4, 6 and 7: host 5 had aborted before
  EXPECT_THAT(told[5], ElementsAre("8", "10 and 1"));  // of 3 in the last wave
}

TEST(LogLines, InTheNextStopAWatchCountsAllVictims) {
  const Scope job = Scope::hosts_of(JobId{0});
  Driver driver(three_waves());
  driver.run_until(after_wave(2));
  driver.give(lines(1, job, 1));
  auto told = told_until(driver, after_wave(3));
  EXPECT_THAT(told[1], ElementsAre("8", "10 and 1"));
  driver.stop();
  driver.start(Start{});
  told = told_until(driver, after_wave(3, kSecondStop));
  EXPECT_THAT(told[1], ElementsAre("0", "2 and 9"));
}

}  // namespace
}  // namespace gauntlet
