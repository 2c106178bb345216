#include "real/cuda/device_copy.hpp"

#include "tests/cuda/mock_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace gauntlet::cuda {
namespace {

std::vector<std::byte> bytes_from(std::size_t count, unsigned first) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

class DeviceCopies : public testing::Test {
 protected:
  FreshDevice device_;
  Stream computing_;
};

// On this device later work overtakes earlier work wherever no event forbids it.
TEST_F(DeviceCopies, TakesTheStateBehindWhatWasQueuedAndBeforeWhatComesLater) {
  DeviceCopy copy;
  std::vector<std::byte> weights(100), momentum(50), into(150);
  const std::vector<std::byte> first = bytes_from(100, 1), second = bytes_from(50, 7);
  queue_work(computing_, 5, [&] { weights = first, momentum = second; });
  copy.begin({{weights.data(), weights.size()}, {momentum.data(), momentum.size()}}, into, computing_);
  EXPECT_FALSE(copy.complete());
  copy.hold_back(computing_);
  queue_work(computing_, 5, [&] { std::fill(weights.begin(), weights.end(), std::byte{0}); });
  EXPECT_EQ(host_waits(), 0U);
  run_all();
  EXPECT_TRUE(copy.complete());
  EXPECT_EQ(weights, std::vector<std::byte>(100));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), into.begin()));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), into.begin() + 100));
}

TEST_F(DeviceCopies, ALargePartIsCopiedInChunks) {
  DeviceCopy copy;
  constexpr std::size_t kChunk = std::size_t{1} << 24;
  const std::vector<std::byte> state = bytes_from(2 * kChunk + 5, 9);
  std::vector<std::byte> into(state.size());
  copy.begin({{state.data(), state.size()}}, into, computing_);
  copy.wait();
  EXPECT_EQ(into, state);
  EXPECT_EQ(largest_copy(), kChunk);
}

TEST_F(DeviceCopies, AfterAnErrorNothingWritesAnyMore) {
  DeviceCopy copy;
  const std::vector<std::byte> state = bytes_from(10, 3);
  std::vector<std::byte> into(20);
  fail("cudaMemcpyAsync", cudaErrorIllegalAddress, 1);
  EXPECT_THROW(copy.begin({{state.data(), 10}, {state.data(), 10}}, into, computing_), Error);
  EXPECT_TRUE(std::equal(state.begin(), state.end(), into.begin())) << "what was queued is done";
  const std::vector<std::byte> left = into;
  run_all();
  EXPECT_EQ(into, left);
}

TEST_F(DeviceCopies, ASizeThatDiffersFromTheStateIsAMistakeOfTheCaller) {
  DeviceCopy copy;
  const std::vector<std::byte> state = bytes_from(10, 3);
  std::vector<std::byte> into(9);
  EXPECT_THROW(copy.begin({{state.data(), state.size()}}, into, computing_), std::logic_error);
}

TEST_F(DeviceCopies, WaitingForACopyThatFailedSaysSo) {
  DeviceCopy copy;
  const std::vector<std::byte> state = bytes_from(10, 3);
  std::vector<std::byte> into(10);
  copy.begin({{state.data(), state.size()}}, into, computing_);
  fail("cudaEventSynchronize", cudaErrorIllegalAddress);
  EXPECT_THROW(copy.wait(), Error);
}

}  // namespace
}  // namespace gauntlet::cuda
