#include "sim/engine/event_queue.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using Place = EventQueue::Place;

constexpr auto kLaterFirst = [](const Place& a, const Place& b) { return b < a; };

TEST(EventPlace, OrdersByTimeThenPriorityThenSequence) {
  const Place ordered[] = {
      {kStart, Priority::end, 9, 0},         {kStart + 1ns, Priority::fault, 7, 5},
      {kStart + 1ns, Priority::fault, 8, 0}, {kStart + 1ns, Priority::end, 1, 0},
      {kNever, Priority::fault, 1, 0},
  };
  for (std::size_t i = 0; i < std::size(ordered); ++i)
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      EXPECT_EQ(ordered[i] < ordered[j], i < j);
      EXPECT_EQ(ordered[i] == ordered[j], i == j);
    }
}

TEST(EventPlace, KeepsItsTimeAndItsSlot) {
  const Place last(kNever - 1ns, Priority::end, Place::kSequences - 1, Place::kSlots - 1);
  EXPECT_EQ(last.at(), kNever - 1ns);
  EXPECT_EQ(last.slot(), Place::kSlots - 1);
}

// Of every size up to some hundreds, so that the last children of the heap are one to four.
TEST(EventQueue, GivesWhatASortedListGives) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Stream stream(Seed{.study = seed}, stream_name("event_queue"));
    EventQueue queue;
    std::vector<Place> sorted;  // the first one last
    std::uint64_t sequence = 0;
    for (int i = 0; i < 5'000; ++i) {
      const std::uint64_t what = stream.below(100);
      const std::uint64_t growing = i < 2'500 ? 55 : 45;
      if (what == 0) {
        const auto unwanted = [](const Place& place) { return place.slot() % 5 == 0; };
        queue.erase_if(unwanted);
        std::erase_if(sorted, unwanted);
      } else if (what < growing) {
        const Time at = kStart + Duration(static_cast<std::int64_t>(stream.below(50)));
        const Place place(at, static_cast<Priority>(stream.below(5)), ++sequence,
                          static_cast<std::uint32_t>(stream.below(100)));
        queue.push(place);
        sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), place, kLaterFirst), place);
      } else if (!sorted.empty()) {
        if (what % 2 == 0) {
          ASSERT_EQ(queue.first(), sorted.back());
        }
        queue.pop();
        sorted.pop_back();
      }
      ASSERT_EQ(queue.size(), sorted.size());
      ASSERT_EQ(queue.empty(), sorted.empty());
      if (!sorted.empty() && what % 3 == 0) {
        ASSERT_EQ(queue.first(), sorted.back());
      }
    }
    for (; !sorted.empty(); sorted.pop_back(), queue.pop()) ASSERT_EQ(queue.first(), sorted.back());
    EXPECT_TRUE(queue.empty());
  }
}

}  // namespace
}  // namespace gauntlet
