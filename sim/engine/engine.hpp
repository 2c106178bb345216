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
#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gauntlet {

/// Names one event, scheduled or held. Valid until it fires or is cancelled; after that it names nothing.
struct Timer {
  std::uint32_t slot = 0;
  std::uint64_t key = 0;  // 0: no event; keys are never used twice
  friend bool operator==(const Timer&, const Timer&) = default;
};

template <class Event>
class Engine {
  using Place = EventQueue::Place;
  static_assert(std::is_trivially_copyable_v<Event>, "events are small values");

 public:
  /// Empty, at time zero. Memory is kept.
  void reset() {
    queue_.clear();
    slots_.clear();
    free_.clear();
    now_ = kStart;
    reached_ = Priority::fault;
    sequence_ = 0;
    stale_ = scheduled_ = 0;
    events_ = 0;
    fingerprint_ = {};
  }

  Time now() const { return now_; }
  /// Whether events of this priority, or of one behind it, have come at this instant. What comes for this instant from now on
  /// was scheduled within it.
  bool reached(Priority priority) const { return reached_ >= priority; }
  std::uint64_t events() const { return events_; }
  /// How many events are scheduled.
  std::size_t pending() const { return scheduled_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }

  /// Schedules an event, or what becomes one; `at` is not in the past. One at kNever is never kept.
  template <class What = Event>
  requires std::is_convertible_v<const What&, Event> Timer at(Time at, Priority priority, const What& what) {
    if (at == kNever) return {};
    const Timer timer = schedule(at, priority);
    std::construct_at(&slots_[timer.slot].event, what);
    return timer;
  }
  template <class What = Event>
  Timer after(Duration wait, Priority priority, const What& what) {
    return at(gauntlet::after(now_, wait), priority, what);
  }

  bool pending(Timer timer) const { return names(timer) && slots_[timer.slot].due != kNowhere; }

  /// Schedules an event in place of the one that `timer` names, if it names one. Costs next to nothing where that one was to
  /// come earlier, were it not held. Holds it where `at` is kNever.
  template <class What = Event>
  void set(Timer& timer, Time at, Priority priority, const What& what) {
    if (at == kNever) return hold(timer);
    if (names(timer)) {
      move(timer.slot, at, priority);
    } else {
      timer = schedule(at, priority);
    }
    std::construct_at(&slots_[timer.slot].event, what);
  }

  /// The event will not come, but is likely to be set again: as good as cancelled, and cheaper for both.
  void hold(Timer timer) {
    if (!pending(timer)) return;
    slots_[timer.slot].due = kNowhere;
    --scheduled_;
  }

  /// Does nothing when the event has fired, was cancelled, or never was. Clears the handle.
  void cancel(Timer& timer) {
    if (timer.key == 0) return;
    if (names(timer)) {
      Slot& slot = slots_[timer.slot];
      if (slot.due != kNowhere) --scheduled_;
      const bool queued = slot.queued != kNowhere;
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
    return queue_.empty() ? kNever : queue_.first().at();
  }

  /// Takes the next event at or before `until` and moves the clock to it; without one the clock moves to `until`.
  std::optional<Event> next(Time until) {
    if (next_time() > until) {
      if (until != kNever && until >= now_) {
        now_ = until;
        reached_ = Priority::end;
      }
      return std::nullopt;
    }
    if (queue_.empty()) return std::nullopt;
    const Place place = queue_.first();
    queue_.pop();
    // An event may schedule another for its own instant, of a priority that has been there.
    reached_ = place.at() == now_ ? std::max(reached_, place.priority()) : place.priority();
    now_ = place.at();
    ++events_;
    --scheduled_;
    fingerprint_.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    Slot& slot = slots_[place.slot()];
    slot.name = 0;  // its places need no clearing: nothing in the queue has them
    free_.push_back(place.slot());
    return slot.event;
  }

  /// The run's fingerprint: every event's time, and whatever the owner folds in besides.
  Fingerprint& fingerprint() { return fingerprint_; }

 private:
  static constexpr std::size_t kSweepFrom = 64;
  static constexpr Place kNowhere{};  // sequences begin with one: no event's

  struct Slot {
    std::uint64_t name;  // whose it is: a timer's; 0: nobody's
    Place due;           // where its event is; nowhere: it is held
    Place queued;        // where it stands in the queue, which is no later; nowhere: it does not
    Event event;
  };

  Timer schedule(Time at, Priority priority) {
    expect(at >= now_, "nothing is scheduled in the past");
    const std::uint32_t number = free_slot();
    const Place place = next_place(at, priority, number);
    Slot& slot = slots_[number];
    slot.name = sequence_;
    slot.due = slot.queued = place;
    queue_.push(place);
    ++scheduled_;
    return {number, sequence_};
  }
  void move(std::uint32_t number, Time at, Priority priority) {
    expect(at >= now_, "nothing is scheduled in the past");
    Slot& slot = slots_[number];
    if (slot.due == kNowhere) ++scheduled_;
    slot.due = next_place(at, priority, number);
    if (slot.queued != kNowhere && slot.queued < slot.due) return;
    if (std::exchange(slot.queued, slot.due) != kNowhere) ++stale_;
    queue_.push(slot.due);
    sweep_if_worthwhile();
  }
  std::uint32_t free_slot() {
    if (free_.empty()) {
      ensure(slots_.size() < Place::kSlots, "not so many events are scheduled at once");
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  Place next_place(Time at, Priority priority, std::uint32_t slot) {
    ensure(++sequence_ < Place::kSequences, "no run has so many events");
    return {at, priority, sequence_, slot};
  }
  bool names(Timer timer) const {
    return timer.key != 0 && timer.slot < slots_.size() && slots_[timer.slot].name == timer.key;
  }
  void release(std::uint32_t slot) {
    slots_[slot].name = 0;
    slots_[slot].due = slots_[slot].queued = kNowhere;
    free_.push_back(slot);
  }
  /// Until the first in the queue is the next event.
  void surface() {
    while (!queue_.empty()) {
      const Place first = queue_.first();
      Slot& slot = slots_[first.slot()];
      if (slot.due == first) return;
      queue_.pop();
      if (slot.queued != first) {
        --stale_;
        continue;
      }
      slot.queued = slot.due;
      if (slot.due != kNowhere) queue_.push(slot.due);  // it was put off; else it is held
    }
  }
  void sweep_if_worthwhile() {
    if (stale_ <= kSweepFrom || stale_ <= queue_.size() / 2) return;
    queue_.erase_if([this](Place place) { return slots_[place.slot()].queued != place; });
    stale_ = 0;
  }

  EventQueue queue_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Time now_{};
  Priority reached_ = Priority::fault;  // the last one that came at this instant, in their order
  std::uint64_t sequence_ = 0;
  std::size_t stale_ = 0;  // places in the queue that are no slot's
  std::size_t scheduled_ = 0;
  std::uint64_t events_ = 0;
  Fingerprint fingerprint_;
};

}  // namespace gauntlet
