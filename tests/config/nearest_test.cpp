#include "config/toml/nearest.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

const std::vector<std::string> kKnown = {"hosts", "hardware", "hosts_per_tor", "tp"};

TEST(NearestName, IsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest_name("hots", kKnown), "hosts");   // one insertion
  EXPECT_EQ(nearest_name("hsots", kKnown), "hosts");  // one swap of neighbours
  const std::vector<std::string> two_edits_first = {"spots", "hosts"};
  EXPECT_EQ(nearest_name("hsots", two_edits_first), "hosts");
  EXPECT_EQ(nearest_name("hardwear", kKnown), "hardware");
  EXPECT_EQ(nearest_name("hosts_pertor", kKnown), "hosts_per_tor");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("window", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("pp", std::vector<std::string>{"tp"}), "tp");  // half of it is right
  EXPECT_EQ(nearest_name("xy", std::vector<std::string>{"tp"}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), kKnown), std::nullopt);
}

TEST(NearestName, IsOneThatBeginsSoWhereNoneIsNear) {
  const std::vector<std::string> models = {"gpt3-175b", "llama3-405b", "llama3-70b"};
  EXPECT_EQ(nearest_name("llama", models), "llama3-405b");
  EXPECT_EQ(nearest_name("lla", models), std::nullopt);
  EXPECT_EQ(nearest_name("llama3-70", models), "llama3-70b");  // one letter is nearer than a beginning
}

TEST(SuggestNames, ListsThemAll) {
  EXPECT_EQ(suggest_names("hots", std::vector<std::string>{"hosts", "tp"}),
            "did you mean \"hosts\"? known are \"hosts\", \"tp\"");
  EXPECT_EQ(suggest_names("x", {}), "none is known here");
}

}  // namespace
}  // namespace gauntlet
