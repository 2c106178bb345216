// Simulated time: events in order, and a trace of what happened.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

namespace gauntlet {

/// Nanoseconds, as CLOCK_MONOTONIC counts them. Nothing here depends on real time: a run is a function of its seed.
class EventLoop {
 public:
  /// A machine that has been up for a while.
  static constexpr std::int64_t kBegan = 1'000'000'000'000;

  std::int64_t now() const { return now_; }
  void at(std::int64_t when, std::function<void()> what);
  void after(Duration wait, std::function<void()> what) { at(now_ + wait.count(), std::move(what)); }
  /// Runs events until one makes `done` true, or until none is left by `until`: it is `until` then. Events may call this.
  /// Returns at once when the run has failed.
  void run(std::int64_t until, const std::function<bool()>& done);
  std::uint64_t events() const { return events_; }

  /// What the run did wrong; the first such thing counts, and nothing happens after it. Not an exception: it would have
  /// to pass through the destructors of drivers, which wait.
  void fail(const std::string& why);
  const std::string& failure() const { return failure_; }
  bool failed() const { return !failure_.empty(); }

  /// Keeps lines when `tracing`.
  void trace(const std::string& line);
  bool tracing = false;
  const std::vector<std::string>& lines() const { return lines_; }

  /// Beyond this a run has failed: somebody waits for what does not come.
  std::int64_t end = kBegan;

 private:
  struct Event {
    std::int64_t when;
    std::uint64_t number;  // events of one time happen in the order in which they were scheduled
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : a.number > b.number;
    }
  };

  std::int64_t now_ = kBegan;
  std::uint64_t scheduled_ = 0, events_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::vector<std::string> lines_;
  std::string failure_;
};

}  // namespace gauntlet
