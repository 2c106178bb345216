// Many agents at the start of a drill: some are late, some never answer.
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kHosts = 200;

struct Attending : testing::Test {
  Attending() {
    world.inventory = {
        .job_hosts = kHosts, .spares = 0, .gpus_per_host = 1, .layout = {.tp = 1, .pp = 1, .dp = kHosts}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.drill.lease = 10min;
    setup.directory = place.path().string();
    setup.started_ns = monotonic_ns();
    setup.seed = {.study = 1, .replica = 0};
    setup.on_status = [this](const DrillStatus& status) { awaited.push_back(status.agents_awaited); };
    platform.dialled = [this](std::uint32_t host) { dialled.insert(host); };
    platform.answers = [this](std::uint32_t host, Duration timeout, std::string& why) {
      asked.push_back(host);
      allowed[host] += timeout;
      most_ahead = std::max(most_ahead, dialled.size() - std::set(asked.begin(), asked.end()).size() + 1);
      if (refuses.contains(host) && refuses[host]-- > 0) {
        why = "no agent answers";
        return false;
      }
      return true;
    };
  }

  /// The message of the drill that cannot begin.
  std::string failure() {
    try {
      const RealCluster cluster(world, setup, Record{}, platform);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  const Scratch place;
  StandIns platform;
  World world;
  DrillSetup setup;
  std::map<std::uint32_t, int> refuses;  // how often an agent does not answer in time
  std::set<std::uint32_t> dialled;
  std::vector<std::uint32_t> asked;  // in this order
  std::map<std::uint32_t, Duration> allowed;
  std::size_t most_ahead = 0;
  std::vector<std::uint32_t> awaited;
};

constexpr int kAlways = 1 << 20;

TEST_F(Attending, TheNextAgentsAreDialledWhileOneIsAwaited) {
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(dialled.size(), kHosts);
  EXPECT_EQ(most_ahead, 32U) << "more handshakes at once than one core ends in time, or fewer";
  EXPECT_EQ(asked.size(), kHosts);
  ASSERT_FALSE(awaited.empty());
  EXPECT_EQ(awaited.front(), kHosts) << "a person sees how many are awaited";
}

TEST_F(Attending, OneThatIsLateKeepsNobodyWaitingAndIsAskedAgain) {
  refuses = {{3, 1}, {150, 1}};
  EXPECT_EQ(failure(), "");
  ASSERT_EQ(asked.size(), kHosts + 2);
  EXPECT_EQ(asked[kHosts], 3U) << "when all others attend";
  EXPECT_EQ(asked[kHosts + 1], 150U);
  EXPECT_GE(allowed[3], setup.answers_within);
}

TEST_F(Attending, AllThatDoNotAnswerAreNamed) {
  refuses = {{3, kAlways}, {150, kAlways}, {7, 1}};
  const std::string why = failure();
  EXPECT_THAT(why, HasSubstr("the agent of host 3 does not answer: no agent answers"));
  EXPECT_THAT(why, HasSubstr("the agent of host 150 does not answer: no agent answers"));
  EXPECT_THAT(why, Not(HasSubstr("host 7"))) << "it was only late";
  EXPECT_THAT(why, Not(HasSubstr("more agents")));
}

// Those that are awaited together have the time of one, and not each its own.
TEST_F(Attending, ADrillWithoutAnyAgentEndsSoon) {
  for (std::uint32_t host = 0; host < kHosts; ++host) refuses[host] = kAlways;
  const std::string why = failure();
  EXPECT_THAT(why, HasSubstr("the agent of host 0 does not answer"));
  EXPECT_THAT(why, HasSubstr("190 more agents were late, and were not waited for"));
  Duration looks{};  // of the first round, at agents that are asked once
  for (std::uint32_t host = 10; host < kHosts; ++host) looks += allowed[host];
  EXPECT_LE(looks, 32 * 2s);
}

TEST_F(Attending, AnAgentOfAnEarlierDriverIsReplacedWhereItDoesNotAnswer) {
  Record so_far;
  so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  setup.epoch = 2;
  refuses = {{3, 1}};
  const RealCluster cluster(world, setup, so_far, platform);
  EXPECT_EQ(platform.started, std::vector<std::uint32_t>{3});
  EXPECT_EQ(asked.back(), 3U);
}

}  // namespace
}  // namespace gauntlet
