#include "core/saturating.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST(Saturating, SumsAndMultiplesEndAtForever) {
  EXPECT_EQ(sum(2s, 3s), 5s);
  EXPECT_EQ(sum(kForever, 0s), kForever);
  EXPECT_EQ(sum(kForever, 1ns), kForever);
  EXPECT_EQ(sum(kForever - 1ns, 1ns), kForever);
  EXPECT_EQ(sum(kForever, kForever), kForever);
  EXPECT_EQ(times(3, 2s), 6s);
  EXPECT_EQ(times(0, kForever), 0s);
  EXPECT_EQ(times(1, kForever), kForever);
  EXPECT_EQ(times(2, kForever), kForever);
  EXPECT_EQ(times(1'000'000'000'000, 1h), kForever);
}

TEST(Saturating, ThereIsATimeBeforeNever) {
  EXPECT_LT(kLast, kNever);
  EXPECT_EQ(after(kLast, 1ns), kNever);
  EXPECT_EQ(after(kLast, kForever), kNever);
}

}  // namespace
}  // namespace gauntlet
