#include "shell/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace gauntlet {
namespace {

TEST(TextOfAnException, IsItsOwnExceptWhereMemoryIsExhausted) {
  EXPECT_EQ(text_of(std::runtime_error("the disk is full")), "the disk is full");
  EXPECT_THAT(text_of(std::bad_alloc()), testing::StartsWith("memory is exhausted; fewer --threads"));
  EXPECT_THAT(text_of(std::bad_array_new_length()), testing::StartsWith("memory is exhausted"));
}

}  // namespace
}  // namespace gauntlet
