// The event engine: a clock that jumps from event to event in a total order, with timers that can be cancelled.
//
// Events are ordered by (time, priority, sequence): equal times and priorities run first-in, first-out, so that ties
// never depend on memory layout or hash order. Cancelling is lazy: the slot is freed at once and its entry in the queue
// skipped when it surfaces, or swept out when such entries are most of the queue. No allocation in the steady state.
#pragma once

#include "core/contract.hpp"
#include "core/record/fingerprint.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace gauntlet {

/// Among events of one instant: what happens to machines comes before what machines tell, timers come after both.
enum class Priority : std::uint8_t { fault, world, telemetry, timer, end };

/// Names one scheduled event. Valid until it fires or is cancelled; after that it names nothing.
struct Timer {
  std::uint32_t slot = 0;
  std::uint64_t key = 0;  // 0: no event; keys are never used twice
  friend bool operator==(const Timer&, const Timer&) = default;
};

template <class Event>
class Engine {
  static_assert(std::is_trivially_copyable_v<Event>, "events are small values");

 public:
  /// Empty, at time zero. Memory is kept.
  void reset() {
    queue_.clear();
    slots_.clear();
    free_.clear();
    now_ = kStart;
    sequence_ = 0;
    stale_ = 0;
    events_ = 0;
    fingerprint_ = {};
  }

  Time now() const { return now_; }
  std::uint64_t events() const { return events_; }
  std::size_t pending() const { return queue_.size() - stale_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }

  /// Schedules `event`; `at` is not in the past. An event at kNever is never kept.
  Timer at(Time at, Priority priority, const Event& event) {
    expect(at >= now_, "nothing is scheduled in the past");
    if (at == kNever) return {};
    const std::uint64_t key = static_cast<std::uint64_t>(priority) << kSequenceBits | ++sequence_;
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({key, event});
    } else {
      slot = free_.back();
      free_.pop_back();
      slots_[slot] = {key, event};
    }
    queue_.push_back({at, key, slot});
    std::push_heap(queue_.begin(), queue_.end(), Later{});
    return {slot, key};
  }
  Timer after(Duration wait, Priority priority, const Event& event) {
    return at(gauntlet::after(now_, wait), priority, event);
  }

  bool pending(Timer timer) const {
    return timer.key != 0 && timer.slot < slots_.size() && slots_[timer.slot].key == timer.key;
  }

  /// Does nothing when the event has fired, was cancelled, or never was. Clears the handle.
  void cancel(Timer& timer) {
    if (pending(timer)) {
      release(timer.slot);
      if (++stale_ > kSweepFrom && stale_ > queue_.size() / 2) sweep();
    }
    timer = {};
  }

  /// The time of the next event; kNever when there is none.
  Time next_time() {
    drop_stale();
    return queue_.empty() ? kNever : queue_.front().at;
  }

  /// Takes the next event at or before `until` and moves the clock to it; without one the clock moves to `until`.
  std::optional<Event> next(Time until) {
    if (next_time() > until) {
      if (until != kNever) now_ = std::max(now_, until);
      return std::nullopt;
    }
    if (queue_.empty()) return std::nullopt;
    const Entry entry = queue_.front();
    pop();
    now_ = entry.at;
    ++events_;
    fingerprint_.add(static_cast<std::uint64_t>(entry.at.time_since_epoch().count()));
    const Event event = slots_[entry.slot].event;
    release(entry.slot);
    return event;
  }

  /// The run's fingerprint: every event's time, and whatever the owner folds in besides.
  Fingerprint& fingerprint() { return fingerprint_; }

 private:
  static constexpr int kSequenceBits = 56;
  static constexpr std::size_t kSweepFrom = 64;

  struct Entry {
    Time at;
    std::uint64_t key;
    std::uint32_t slot;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.at != b.at ? a.at > b.at : a.key > b.key;
    }
  };
  struct Slot {
    std::uint64_t key;
    Event event;
  };

  void release(std::uint32_t slot) {
    slots_[slot].key = 0;
    free_.push_back(slot);
  }
  void pop() {
    std::pop_heap(queue_.begin(), queue_.end(), Later{});
    queue_.pop_back();
  }
  bool stale(const Entry& entry) const { return slots_[entry.slot].key != entry.key; }
  void drop_stale() {
    while (!queue_.empty() && stale(queue_.front())) {
      pop();
      --stale_;
    }
  }
  void sweep() {
    std::erase_if(queue_, [this](const Entry& entry) { return stale(entry); });
    std::make_heap(queue_.begin(), queue_.end(), Later{});
    stale_ = 0;
  }

  std::vector<Entry> queue_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Time now_{};
  std::uint64_t sequence_ = 0;
  std::size_t stale_ = 0;
  std::uint64_t events_ = 0;
  Fingerprint fingerprint_;
};

}  // namespace gauntlet
