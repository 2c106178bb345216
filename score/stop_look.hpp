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
    if (--looks_left_ == 0) [[unlikely]]
      read();
  }

 private:
  static constexpr std::uint32_t kLooksBetweenReads = 4096;

  void read() {
    looks_left_ = kLooksBetweenReads;
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Stopped{};
  }

  const std::atomic<bool>* stop_;
  std::uint32_t looks_left_ = kLooksBetweenReads;
};

}  // namespace gauntlet
