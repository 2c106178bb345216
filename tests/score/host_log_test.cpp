// The truth log by host, against a search of all of it.
#include "score/host_log.hpp"

#include "tests/core/test_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

TEST(HostLog, ReadsBackwardsWhatConcernsAHost) {
  TestNumbers numbers(9);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(numbers.below(n)); };
  TruthLog log(300);
  for (Truth& each : log) {
    each.host = HostId{below(100)};
    each.hosts = below(8) == 0 ? 65 + below(200) : 1 + below(3);  // some are wide
  }
  StopLook look(nullptr);
  const HostLog by_host(log, look);
  for (std::uint32_t host = 0; host < 400; ++host) {
    const std::size_t told = below(log.size() + 1);
    std::vector<std::uint32_t> expected, found;
    for (std::uint32_t place = static_cast<std::uint32_t>(told); place-- > 0;)
      if (concerns(log[place], HostId{host})) expected.push_back(place);
    by_host.backwards(HostId{host}, told, [&](std::uint32_t place) {
      found.push_back(place);
      return false;
    });
    ASSERT_EQ(found, expected) << "host " << host << ", told " << told;
    std::size_t asked = 0;
    by_host.backwards(HostId{host}, told, [&](std::uint32_t) { return ++asked == 2; });
    ASSERT_EQ(asked, std::min<std::size_t>(2, expected.size()));
  }
}

TEST(HostLog, OfNothing) {
  const TruthLog log;
  StopLook look(nullptr);
  HostLog(log, look).backwards(HostId{3}, 0, [](std::uint32_t) { return ADD_FAILURE(), true; });
}

}  // namespace
}  // namespace gauntlet
