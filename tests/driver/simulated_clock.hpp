// The clock of one simulated host: it is ahead of the loop's time, runs too fast or too slow, and stands still while its host is
// suspended.
#pragma once

#include "core/time.hpp"
#include "tests/driver/event_loop.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

class SimulatedClock {
 public:
  /// `drift`: nanoseconds gained per second; negative: lost.
  SimulatedClock(const EventLoop& loop, Duration ahead, std::int64_t drift)
      : loop_(&loop), drift_(drift), pieces_{{0, ahead.count(), true}} {}

  std::int64_t now() const { return at(loop_->now()); }
  /// When it shows that time, or a later one, first and last: two times where it stood still.
  std::int64_t first_time(std::int64_t shows) const;
  std::int64_t last_time(std::int64_t shows) const { return first_time(shows + 1) - 1; }
  /// It stands still from now on for so long; no effect where it does already.
  void suspend(Duration lasts);
  bool was_suspended() const { return pieces_.size() > 1; }
  /// The loop's time from which on it runs evenly.
  std::int64_t runs_since() const { return pieces_.back().from; }

 private:
  struct Piece {
    std::int64_t from;  // of the loop's time
    std::int64_t shows;
    bool runs;
  };
  std::int64_t at(std::int64_t loop_time) const;

  const EventLoop* loop_;
  std::int64_t drift_;
  std::vector<Piece> pieces_;
};

}  // namespace gauntlet
