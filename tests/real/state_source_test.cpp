// A state that is copied from elsewhere, as from a GPU, while the rank trains: here by a thread that the test holds back.
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/writer.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;

constexpr JobIdentity kStateJob{.seed = 3};
constexpr std::size_t kBytes = 1000;

/// The device: it copies when the test lets it, or never.
class Device final : public StateSource {
 public:
  void begin_copy(std::span<std::byte> into) override {
    const std::lock_guard lock(mutex_);
    if (broken) throw std::runtime_error("no device");
    into_ = into;
  }
  std::optional<Problem> wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return copied_.has_value(); });
    const bool copied = *copied_;
    copied_.reset();
    return copied ? std::nullopt : std::optional(Problem{.what = "a copy", .why = "never ended"});
  }
  void ends(bool copied, char byte = 0) {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(into_.size(), kBytes);
    if (copied) std::fill(into_.begin(), into_.end(), static_cast<std::byte>(byte));
    copied_ = copied;
    changed_.notify_all();
  }
  bool broken = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<std::byte> into_;
  std::optional<bool> copied_;
};

class StateSources : public testing::Test {
 protected:
  CheckpointListener listener() {
    return {.saved = [this](std::int64_t step) { say("saved " + std::to_string(step)); },
            .failed = [this](std::int64_t step, const Problem&) { say("failed " + std::to_string(step)); },
            .not_removed = [this](const Problem& why) { say(why.text()); }};
  }
  std::vector<std::string> heard() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string state_of(std::int64_t step) {
    CheckpointTier::Loaded loaded = tier_.load(step, 0);
    return loaded.shard ? std::move(loaded.shard->state) : loaded.flaw.problem.text();
  }

  Scratch scratch_;
  DirectoryStorage storage_{scratch_.path()};
  CheckpointTier tier_{storage_, kStateJob};
  LockedMemory memory_{scratch_.path() / "copy"};
  Device device_;

 private:
  void say(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST_F(StateSources, ARankGoesOnWhileItsStateIsCopied) {
  CheckpointWriter writer(tier_, 0, {.memory = memory_, .state_bytes = kBytes, .start = 1},
                          std::chrono::seconds(30), listener());
  writer.write(10, device_);  // returns before the device is through
  EXPECT_FALSE(copy_in(scratch_.path() / "copy")) << "a rank that dies now leaves no copy";
  EXPECT_EQ(tier_.survey().newest(), 0);
  device_.ends(true, 'a');
  writer.wait_until_idle();
  EXPECT_EQ(copy_in(scratch_.path() / "copy"), (CopyKey{.step = 10, .start = 1}));
  EXPECT_EQ(state_of(10), std::string(kBytes, 'a'));
  EXPECT_THAT(heard(), ElementsAre("saved 10"));
}

TEST_F(StateSources, ACopyThatNeverEndsIsNoCheckpointAndTheNextOneIs) {
  CheckpointWriter writer(tier_, 0, {.memory = memory_, .state_bytes = kBytes, .start = 1},
                          std::chrono::seconds(30), listener());
  writer.write(10, device_);
  device_.ends(true, 'a');
  writer.wait_until_idle();
  writer.write(20, device_);
  device_.ends(false);
  writer.wait_until_idle();
  EXPECT_FALSE(copy_in(scratch_.path() / "copy"));
  EXPECT_EQ(tier_.survey().newest(), 10);
  writer.write(30, device_);
  device_.ends(true, 'c');
  writer.wait_until_idle();
  EXPECT_EQ(state_of(30), std::string(kBytes, 'c'));
  EXPECT_THAT(heard(), ElementsAre("saved 10", "failed 20", "saved 30"));
}

TEST_F(StateSources, AWriterThatEndsSeesTheCopyThrough) {
  std::thread device;
  {
    CheckpointWriter writer(tier_, 0, {.memory = memory_, .state_bytes = kBytes, .start = 1},
                            std::chrono::seconds(30), listener());
    writer.write(10, device_);
    device = std::thread([this] { device_.ends(true, 'a'); });
  }
  device.join();
  EXPECT_EQ(state_of(10), std::string(kBytes, 'a'));
}

TEST_F(StateSources, ACopyThatCannotBeginLeavesTheCheckpointBefore) {
  CheckpointWriter writer(tier_, 0, {.memory = memory_, .state_bytes = kBytes, .start = 1},
                          std::chrono::seconds(30), listener());
  writer.write(10, device_);
  device_.ends(true, 'a');
  writer.wait_until_idle();
  device_.broken = true;
  EXPECT_THROW(writer.write(20, device_), std::runtime_error);
  EXPECT_FALSE(copy_in(scratch_.path() / "copy")) << "half a copy is none";
  EXPECT_EQ(tier_.survey().newest(), 10);
  device_.broken = false;
  writer.write(30, device_);
  device_.ends(true, 'c');
  writer.wait_until_idle();
  EXPECT_EQ(state_of(30), std::string(kBytes, 'c'));
}

}  // namespace
}  // namespace gauntlet
