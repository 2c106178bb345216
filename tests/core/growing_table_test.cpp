#include "core/growing_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace gauntlet {
namespace {

TEST(GrowingTable, HasTheCommonValueUntilOneIsSet) {
  GrowingTable<std::uint32_t> table(7);
  EXPECT_EQ(table[0], 7u);
  EXPECT_EQ(table[4'000'000'000], 7u);
  table.set(5, 1);
  EXPECT_EQ(table[4], 7u);
  EXPECT_EQ(table[5], 1u);
  EXPECT_EQ(table[6], 7u);
  table.set(2, 3);
  table.set(5, 7);
  EXPECT_EQ(table[2], 3u);
  EXPECT_EQ(table[5], 7u);
}

}  // namespace
}  // namespace gauntlet
