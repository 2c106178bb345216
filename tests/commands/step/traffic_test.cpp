// What --beside and --storm may say, and which flows come of it.
#include "commands/step/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Three hosts and a spare, with two NICs for eight GPUs.
World three_hosts() {
  World world;
  world.inventory.job_hosts = 3;
  world.inventory.spares = 1;
  world.hardware.nics_per_host = 2;
  return world;
}

TEST(OtherTraffic, FlowsThroughEveryNic) {
  const World world = three_hosts();
  const Traffic beside = parse_traffic(std::vector<std::string>{"host:1-host:3"}, {}, world);
  EXPECT_TRUE(beside.problems.empty());
  ASSERT_EQ(beside.flows.size(), 2U);
  EXPECT_EQ(beside.flows[1].from_gpu, 8U + 4);  // the first next to NIC 1
  EXPECT_EQ(beside.flows[1].to_gpu, 3U * 8 + 4);
  EXPECT_EQ(beside.flows[1].rail, 1U);
  EXPECT_EQ(parse_traffic({}, std::vector<std::string>{"host:3"}, world).flows.size(), 3U * 2);
  EXPECT_EQ(parse_traffic({}, std::vector<std::string>{"host:0"}, world).flows.size(), 2U * 2);
}

TEST(OtherTraffic, SaysWhatIsWrong) {
  const World world = three_hosts();
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"host:1", "does not name two hosts"},
      {"host:1-3", "does not name two hosts"},
      {"host:-1-host:2", "does not name two hosts"},
      {"host:1-host:4", "names host 4 of 4"},
      {"host:1-host:1", "stays within a host"}};
  for (const auto& [said, answer] : mistakes) {
    const Traffic traffic = parse_traffic(std::vector<std::string>{said}, {}, world);
    ASSERT_EQ(traffic.problems.size(), 1U) << said;
    EXPECT_THAT(traffic.problems[0].text(), testing::HasSubstr(answer)) << said;
  }
  EXPECT_THAT(parse_traffic({}, std::vector<std::string>{"8"}, world).problems[0].text(),
              testing::HasSubstr("names no host; write host:8"));
}

}  // namespace
}  // namespace gauntlet
