// Whether somebody wants a score to stop, asked in every loop over the logs of a run: they may hold a hundred million entries.
#pragma once

#include <atomic>
#include <cstdint>

namespace gauntlet {

class StopLook {
 public:
  /// What look() throws; score() alone catches it.
  struct Stopped {};

  /// `stop` may be null: nobody ever does.
  explicit StopLook(const std::atomic<bool>* stop) : stop_(stop) {}

  /// Cheap enough for the innermost loop: the flag itself is read now and then.
  void look() {
    constexpr std::uint32_t kLooksBetweenReads = 4096;
    if (++looks_ % kLooksBetweenReads == 0 && stop_ != nullptr && stop_->load(std::memory_order_relaxed))
      throw Stopped{};
  }

 private:
  const std::atomic<bool>* stop_;
  std::uint32_t looks_ = 0;
};

}  // namespace gauntlet
