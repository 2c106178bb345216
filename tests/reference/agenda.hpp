// What is going to happen in the reference cluster, in order: a sorted list of times with what to do then.
#pragma once

#include "core/contract.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace gauntlet::reference {

/// What comes first of several things that happen at one nanosecond. A step or a checkpoint that ends at a time is complete at
/// that time (core/record/progress.hpp). Then come machines, then samples, then timers (docs/decisions.md, 2026-11-20, "What the
/// plan got wrong", (5)); of machines, what breaks comes before what is mended; of samples, heartbeats come before the others
/// (docs/decisions.md, 2026-11-23, "Heartbeats are the first samples of an instant"). Ranks that wait in vain abort before timers
/// (2026-11-24, "Ranks abort before policies that wait as long").
enum class Rank : std::uint8_t { training, fault, world, heartbeat, telemetry, abort, timer, end };

class Agenda {
 public:
  /// Names an entry. One that is past, or was cancelled, names nothing.
  using Entry = std::tuple<Time, Rank, std::uint64_t>;

  Time now() const { return now_; }
  /// Nothing that would happen at kNever ever happens.
  Entry at(Time time, Rank rank, std::function<void()> what) {
    expect(time >= now_, "nothing is planned for the past");
    const Entry entry{time, rank, ++count_};
    if (time != kNever) planned_.emplace(entry, std::move(what));
    return entry;
  }
  Entry after(Duration wait, Rank rank, std::function<void()> what) {
    return at(gauntlet::after(now_, wait), rank, std::move(what));
  }
  void cancel(const Entry& entry) { planned_.erase(entry); }
  bool planned(const Entry& entry) const { return planned_.contains(entry); }

  bool empty() const { return planned_.empty(); }
  Time next_time() const { return planned_.empty() ? kNever : std::get<Time>(planned_.begin()->first); }
  void run_next() {
    const auto first = planned_.begin();
    now_ = std::get<Time>(first->first);
    const std::function<void()> what = std::move(first->second);
    planned_.erase(first);
    what();
  }
  void wait_until(Time time) { now_ = time > now_ ? time : now_; }

 private:
  Time now_ = kStart;
  std::uint64_t count_ = 0;
  std::map<Entry, std::function<void()>> planned_;
};

}  // namespace gauntlet::reference
