#include "sim/hosts/host_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace gauntlet {
namespace {

TEST(HostTable, FindsWhatWasAddedAndNotErased) {
  HostTable<int> table;
  EXPECT_EQ(table.find(HostId{3}), nullptr);
  table.add(HostId{3}, 30);
  table.add(HostId{1}, 10) = 11;
  EXPECT_EQ(table.at(HostId{3}), 30);
  EXPECT_EQ(table.at(HostId{1}), 11);
  table.erase(HostId{3});
  EXPECT_EQ(table.find(HostId{3}), nullptr);
  table.add(HostId{8}, 80);
  EXPECT_EQ(table.at(HostId{8}), 80);
  EXPECT_EQ(table.at(HostId{1}), 11);
}

RC_GTEST_PROP(HostTable, IsAMap, (const std::vector<std::uint8_t>& hosts)) {
  HostTable<std::size_t> table;
  std::map<std::uint8_t, std::size_t> expected;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostId host{hosts[i]};
    if (expected.erase(hosts[i]) > 0) {
      table.erase(host);
    } else {
      table.add(host, i);
      expected.emplace(hosts[i], i);
    }
    for (std::uint32_t h = 0; h < 256; ++h) {
      const auto found = expected.find(static_cast<std::uint8_t>(h));
      const std::size_t* value = table.find(HostId{h});
      RC_ASSERT((value != nullptr) == (found != expected.end()));
      if (value != nullptr) RC_ASSERT(*value == found->second);
    }
  }
}

}  // namespace
}  // namespace gauntlet
