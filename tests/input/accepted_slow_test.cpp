// Every field of two scenarios at its extremes, the same as accepted_test.cpp tries of a sample.
#include "tests/input/accepted.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

class EveryField : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryField, AtItsExtremesRunsOrIsRefused) {
  for (const Case& each : extreme_cases(GetParam())) EXPECT_EQ(outcome_of(each).failure, "");
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EveryField, ::testing::Values("tiny-8", "one-fault"));

}  // namespace
}  // namespace gauntlet
