// The event engine: a clock that jumps from event to event in a total order, with timers that can be cancelled.
//
// Events are ordered by (time, priority, sequence): equal times and priorities run first-in, first-out, so that ties
// never depend on memory layout or hash order. Cancelling is lazy: the slot is freed at once and its entry in the queue
// skipped when it surfaces, or swept out when such entries are most of the queue. So is putting off, which timeouts mostly
// are: the entry stays where it is, and goes to its new place when it surfaces. No allocation in the steady state.
#pragma once

#include "core/contract.hpp"
#include "core/record/fingerprint.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gauntlet {

/// Among events of one instant: what happens to machines comes before what machines tell, timers come after both.
enum class Priority : std::uint8_t { fault, world, telemetry, timer, end };

/// Names one event, scheduled or held. Valid until it fires or is cancelled; after that it names nothing.
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
    stale_ = scheduled_ = 0;
    events_ = 0;
    fingerprint_ = {};
  }

  Time now() const { return now_; }
  std::uint64_t events() const { return events_; }
  /// How many events are scheduled.
  std::size_t pending() const { return scheduled_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }

  /// Schedules `event`; `at` is not in the past. An event at kNever is never kept.
  Timer at(Time at, Priority priority, const Event& event) {
    expect(at >= now_, "nothing is scheduled in the past");
    if (at == kNever) return {};
    const std::uint64_t key = next_key(priority);
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({.name = key, .key = key, .at = at, .queued = {at, key, slot}, .event = event});
    } else {
      slot = free_.back();
      free_.pop_back();
      slots_[slot] = {.name = key, .key = key, .at = at, .queued = {at, key, slot}, .event = event};
    }
    push({at, key, slot});
    ++scheduled_;
    return {slot, key};
  }
  Timer after(Duration wait, Priority priority, const Event& event) {
    return at(gauntlet::after(now_, wait), priority, event);
  }

  bool pending(Timer timer) const { return names(timer) && slots_[timer.slot].key != 0; }

  /// Schedules `event` in place of the one that `timer` names, if it names one. Costs next to nothing where that one was to
  /// come earlier, were it not held. Holds it where `at` is kNever.
  void set(Timer& timer, Time at, Priority priority, const Event& event) {
    if (at == kNever) return hold(timer);
    if (!names(timer)) {
      timer = this->at(at, priority, event);
      return;
    }
    expect(at >= now_, "nothing is scheduled in the past");
    Slot& slot = slots_[timer.slot];
    if (slot.key == 0) ++scheduled_;
    slot.key = next_key(priority);
    slot.at = at;
    slot.event = event;
    const Entry entry{at, slot.key, timer.slot};
    if (slot.queued.key != 0 && !Later{}(slot.queued, entry)) return;
    if (std::exchange(slot.queued, entry).key != 0) ++stale_;
    push(entry);
    sweep_if_worthwhile();
  }

  /// The event will not come, but is likely to be set again: as good as cancelled, and cheaper for both.
  void hold(Timer timer) {
    if (!pending(timer)) return;
    slots_[timer.slot].key = 0;
    --scheduled_;
  }

  /// Does nothing when the event has fired, was cancelled, or never was. Clears the handle.
  void cancel(Timer& timer) {
    if (timer.key == 0) return;
    if (names(timer)) {
      Slot& slot = slots_[timer.slot];
      if (slot.key != 0) --scheduled_;
      const bool queued = slot.queued.key != 0;
      release(timer.slot);
      if (queued) {
        ++stale_;
        sweep_if_worthwhile();
      }
    }
    timer = {};
  }

  /// The time of the next event; kNever when there is none.
  Time next_time() {
    surface();
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
    --scheduled_;
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
    std::uint64_t name;  // whose it is: a timer's key; 0: nobody's
    std::uint64_t key;   // its event's place among those of its time; 0: it is held
    Time at;
    Entry queued;  // its entry in the queue, which comes no later than the event; of key 0: it has none
    Event event;
  };

  std::uint64_t next_key(Priority priority) {
    return static_cast<std::uint64_t>(priority) << kSequenceBits | ++sequence_;
  }
  bool names(Timer timer) const {
    return timer.key != 0 && timer.slot < slots_.size() && slots_[timer.slot].name == timer.key;
  }
  void release(std::uint32_t slot) {
    slots_[slot].name = slots_[slot].key = slots_[slot].queued.key = 0;
    free_.push_back(slot);
  }
  void push(const Entry& entry) {
    queue_.push_back(entry);
    std::push_heap(queue_.begin(), queue_.end(), Later{});
  }
  void pop() {
    std::pop_heap(queue_.begin(), queue_.end(), Later{});
    queue_.pop_back();
  }
  bool stale(const Entry& entry) const { return slots_[entry.slot].queued.key != entry.key; }
  /// Until the first entry is that of the next event.
  void surface() {
    while (!queue_.empty()) {
      const Entry first = queue_.front();
      Slot& slot = slots_[first.slot];
      if (slot.key == first.key) return;
      pop();
      if (slot.queued.key != first.key) {
        --stale_;
      } else if (slot.key == 0) {
        slot.queued.key = 0;  // it is held
      } else {                // it was put off
        slot.queued = {slot.at, slot.key, first.slot};
        push(slot.queued);
      }
    }
  }
  void sweep_if_worthwhile() {
    if (stale_ <= kSweepFrom || stale_ <= queue_.size() / 2) return;
    std::erase_if(queue_, [this](const Entry& entry) { return stale(entry); });
    std::make_heap(queue_.begin(), queue_.end(), Later{});
    stale_ = 0;
  }

  std::vector<Entry> queue_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Time now_{};
  std::uint64_t sequence_ = 0;
  std::size_t stale_ = 0;  // entries that are no slot's
  std::size_t scheduled_ = 0;
  std::uint64_t events_ = 0;
  Fingerprint fingerprint_;
};

}  // namespace gauntlet
