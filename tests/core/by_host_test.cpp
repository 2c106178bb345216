// Numbers under the hosts that they concern, against a list of all of them.
#include "core/by_host.hpp"

#include "tests/core/test_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

struct Entry {
  std::uint32_t first, count, number;
};

std::vector<std::uint32_t> of(const ByHost& all, HostId host) {
  std::vector<std::uint32_t> numbers;
  all.for_each(host, [&](std::uint32_t number) { numbers.push_back(number); });
  std::ranges::sort(numbers);
  return numbers;
}

TEST(ByHost, FindsWhatAListOfAllWouldFind) {
  TestNumbers numbers(5);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(numbers.below(n)); };
  for (int round = 0; round < 50; ++round) {
    ByHost all;
    std::vector<Entry> list;
    for (std::uint32_t number = 0; number < 200; ++number) {
      if (!list.empty() && below(3) == 0) {
        const auto gone = list.begin() + below(list.size());
        all.remove(HostId{gone->first}, gone->count, gone->number);
        list.erase(gone);
      }
      const std::uint32_t count = below(10) == 0 ? 65 + below(100) : 1 + below(4);  // some are wide
      list.push_back({below(150), count, number});
      all.add(HostId{list.back().first}, count, number);
      const HostId host{below(320)};
      std::vector<std::uint32_t> expected;
      for (const Entry& each : list)
        if (host.value >= each.first && host.value - each.first < each.count) expected.push_back(each.number);
      ASSERT_EQ(of(all, host), expected) << "round " << round << ", number " << number;
      ASSERT_EQ(all.any(host, [](std::uint32_t) { return true; }), !expected.empty());
    }
    all.clear();
    EXPECT_TRUE(of(all, HostId{0}).empty());
  }
}

TEST(ByHost, AsksTheLatestFirst) {
  ByHost all;
  for (std::uint32_t number : {3U, 1U, 2U}) all.add(HostId{7}, 1, number);
  std::uint32_t first = 0;
  EXPECT_TRUE(all.any(HostId{7}, [&](std::uint32_t number) {
    first = number;
    return true;
  }));
  EXPECT_EQ(first, 2U);
}

}  // namespace
}  // namespace gauntlet
