// The log of a drill is lines of JSON, whatever is in them and in the file before them.
#include "real/driver/event_log.hpp"

#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;

/// Each key of a line stands there once.
std::vector<json> lines_of(const fs::path& path) {
  std::vector<json> lines;
  std::istringstream text(bytes_of(path));
  for (std::string line; std::getline(text, line);) {
    std::set<std::string> keys;
    const auto once = [&](int, json::parse_event_t event, json& key) {
      if (event != json::parse_event_t::key) return true;
      EXPECT_TRUE(keys.insert(key.get<std::string>()).second) << line;
      return true;
    };
    lines.push_back(json::parse(line, once));
  }
  return lines;
}

struct EventLogs : testing::Test {
  const Scratch place;
  const std::string own = (place.path() / "log").string();
  const std::string copy = (place.path() / "copy").string();
};

TEST_F(EventLogs, EveryOrderHasItsOwnNumber) {
  EventLog log(own, "");
  log.add(kStart + 1s, {OrderId{7}, Cancel{OrderId{3}}});
  log.add(kStart + 1s, {OrderId{8}, Wake{kStart + 5s}});
  log.add(kStart + 1s,
          {OrderId{9}, Watch{WatchId{4}, Signal::heartbeat, Scope::all(ComponentKind::host), Silence{2s}}});
  const auto lines = lines_of(own);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            json::parse(R"({"at_ns":1000000000,"event":"order","id":7,"kind":"Cancel","order":3})"));
  EXPECT_EQ(lines[1].at("at_ns"), 1'000'000'000);
  EXPECT_EQ(lines[1].at("Wake.at_ns"), 5'000'000'000);
  EXPECT_EQ(lines[2].at("id"), 9);
  EXPECT_EQ(lines[2].at("Watch.id"), 4);
}

TEST_F(EventLogs, BytesThatAreNoTextAreReplaced) {
  EventLog log(own, "");
  log.say(kStart, "an operator evicts host 1: \xff\x01\"\\");
  EXPECT_EQ(lines_of(own).at(0).at("text"), "an operator evicts host 1: \xef\xbf\xbd\x01\"\\");
}

TEST_F(EventLogs, ACopyGoesOnAfterWhatItHoldsInTheSameFile) {
  put_bytes(copy, "{}\n{\"cut\":");
  fs::create_hard_link(copy, copy + ".other");
  EventLog(own, copy).say(kStart, "x");
  EXPECT_TRUE(fs::equivalent(copy, copy + ".other"));
  EXPECT_EQ(bytes_of(copy), "{}\n{\"cut\":\n" + bytes_of(own));
  EventLog(own, copy).say(kStart, "y");
  EXPECT_EQ(bytes_of(copy), "{}\n{\"cut\":\n" + bytes_of(own));
}

TEST_F(EventLogs, ACopyIsAFileOfThisUser) {
  fs::create_symlink(place.path() / "target", copy);
  EXPECT_THROW(EventLog(own, copy), std::runtime_error);
  EXPECT_FALSE(fs::exists(place.path() / "target"));
  fs::remove(copy);
  ASSERT_EQ(::mkfifo(copy.c_str(), 0600), 0);
  EXPECT_THROW(EventLog(own, copy), std::runtime_error);
}

}  // namespace
}  // namespace gauntlet
