// What is to come, soonest first: a heap of small entries, each with four children, which lie side by side.
//
// Which of two children comes first is a coin toss that no processor predicts, so that it is computed and not jumped over. Four
// children instead of two: LaMarca and Ladner, "The influence of caches on the performance of heaps", JEA 1, 1996.
#pragma once

#include "core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

/// Among events of one instant: what happens to machines comes before what machines tell, timers come after both. A planned stop
/// comes before whatever else the world has for that instant. Of what machines tell, heartbeats come first, so that the engine knows
/// whether those of an instant have come without their events. Ranks that wait in vain abort before timers: policies that wait as
/// long as ranks do find that they aborted.
enum class Priority : std::uint8_t { fault, planned, world, heartbeat, telemetry, abort, timer, end };

/// A priority queue of places. Those of first() and pop() must be there.
class EventQueue {
 public:
  /// An event's place in the order (time, priority, sequence), and the slot in which it is kept: one number, which no two
  /// share. Times are those of a run, from its start on.
  class Place {
   public:
    static constexpr int kSlotBits = 22, kSequenceBits = 39;  // 4 million events at once; 5e11 in a run
    static constexpr std::uint64_t kSlots = std::uint64_t{1} << kSlotBits;
    static constexpr std::uint64_t kSequences = std::uint64_t{1} << kSequenceBits;

    constexpr Place() = default;
    constexpr Place(Time at, Priority priority, std::uint64_t sequence, std::uint32_t slot)
        : time_(static_cast<std::uint64_t>(at.time_since_epoch().count())),
          rest_(static_cast<std::uint64_t>(priority) << (kSequenceBits + kSlotBits) | sequence << kSlotBits |
                slot) {}

    constexpr Time at() const { return kStart + Duration(static_cast<std::int64_t>(time_)); }
    constexpr Priority priority() const {
      return static_cast<Priority>(rest_ >> (kSequenceBits + kSlotBits));
    }
    constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(rest_ & (kSlots - 1)); }

    friend constexpr bool operator==(Place, Place) = default;
    friend constexpr bool operator<(Place a, Place b) { return a.number() < b.number(); }

   private:
    __extension__ using Number = unsigned __int128;
    constexpr Number number() const { return Number{time_} << 64 | rest_; }

    std::uint64_t time_ = 0, rest_ = 0;
  };

  std::size_t size() const { return places_.size() - (hole_ ? 1 : 0); }
  bool empty() const { return size() == 0; }
  Place first() {
    fill();
    return places_.front();
  }
  void clear() {
    places_.clear();
    hole_ = false;
  }

  void push(Place place) {
    if (std::exchange(hole_, false)) return sink(0, place);
    places_.emplace_back();
    rise(places_.size() - 1, place);
  }

  /// Leaves a hole, which most often the next push fills: an event schedules another.
  void pop() {
    fill();
    hole_ = true;
  }

  template <class Unwanted>
  void erase_if(const Unwanted& unwanted) {
    fill();
    std::erase_if(places_, unwanted);
    for (std::size_t i = places_.size(); i-- > 0;) sink(i, places_[i]);
  }

 private:
  static constexpr std::size_t kChildren = 4;

  void fill() {
    if (!std::exchange(hole_, false)) return;
    const Place last = places_.back();
    places_.pop_back();
    if (!places_.empty()) sink(0, last);
  }

  void rise(std::size_t hole, Place place) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kChildren;
      if (!(place < places_[parent])) break;
      places_[hole] = places_[parent];
      hole = parent;
    }
    places_[hole] = place;
  }

  void sink(std::size_t hole, Place place) {
    Place* const places = places_.data();
    const std::size_t size = places_.size();
    while (true) {
      const std::size_t child = hole * kChildren + 1;
      std::size_t least = child;
      if (child + kChildren <= size) [[likely]] {
        const Place* const children = places + child;
        const Place* const a = children + (children[1] < children[0]);
        const Place* const b = children + 2 + (children[3] < children[2]);
        least = static_cast<std::size_t>((*b < *a ? b : a) - places);
      } else if (child < size) {
        for (std::size_t i = child + 1; i < size; ++i) least += (i - least) * (places[i] < places[least]);
      } else {
        break;
      }
      if (!(places[least] < place)) break;
      places[hole] = places[least];
      hole = least;
    }
    places[hole] = place;
  }

  std::vector<Place> places_;
  bool hole_ = false;  // the first one has been taken away
};

}  // namespace gauntlet
