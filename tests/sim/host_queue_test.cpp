// A queue of hosts that any of them may leave, against a plain list.
#include "sim/hosts/host_queue.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace gauntlet {
namespace {

TEST(HostQueue, KeepsTheOrderOfAPlainList) {
  Stream draw(Seed{.study = 3}, stream_name("host_queue"));
  constexpr std::uint32_t kHosts = 12;
  HostQueue queue(kHosts);
  std::deque<HostId> list;
  for (int i = 0; i < 5'000; ++i) {
    const HostId host{static_cast<std::uint32_t>(draw.below(kHosts))};
    const bool waits = std::ranges::find(list, host) != list.end();
    switch (draw.below(4)) {
      case 0:
        if (!waits) {
          queue.push_back(host);
          list.push_back(host);
        }
        break;
      case 1:
        if (!waits) {
          queue.push_front(host);
          list.push_front(host);
        }
        break;
      case 2:
        queue.erase(host);
        std::erase(list, host);
        break;
      default:
        ASSERT_EQ(queue.pop_front(), list.empty() ? std::nullopt : std::optional(list.front()));
        if (!list.empty()) list.pop_front();
    }
    ASSERT_EQ(queue.size(), list.size());
    ASSERT_EQ(queue.empty(), list.empty());
  }
}

}  // namespace
}  // namespace gauntlet
