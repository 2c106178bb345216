// The causes of lost time that are no fault have names that no fault may take.
#include "config/fields/reserved_names.hpp"
#include "score/figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gauntlet {
namespace {

TEST(CauseNames, AreAllReserved) {
  for (const std::string_view name : kCauseNames)
    EXPECT_NE(std::find(kCausesThatAreNoFault.begin(), kCausesThatAreNoFault.end(), name),
              kCausesThatAreNoFault.end())
        << name;
}

TEST(CauseNames, NoMoreAreReservedThanThereAre) {
  for (const std::string_view name : kCausesThatAreNoFault)
    EXPECT_NE(std::find(kCauseNames.begin(), kCauseNames.end(), name), kCauseNames.end()) << name;
}

}  // namespace
}  // namespace gauntlet
