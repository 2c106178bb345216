#include "tests/driver/simulated_clock.hpp"

namespace gauntlet {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// value * by / of, rounded down, for values whose product with `by` does not fit. All are positive.
std::int64_t scaled(std::int64_t value, std::int64_t by, std::int64_t of) {
  return value / of * by + value % of * by / of;
}

}  // namespace

std::int64_t SimulatedClock::at(std::int64_t loop_time) const {
  const Piece* last = &pieces_.front();
  for (const Piece& piece : pieces_) {
    if (piece.from <= loop_time) last = &piece;
  }
  return last->shows + (last->runs ? scaled(loop_time - last->from, kSecond + drift_, kSecond) : 0);
}

std::int64_t SimulatedClock::first_time(std::int64_t shows) const {
  const Piece* last = &pieces_.front();
  for (const Piece& piece : pieces_) {
    if (piece.runs && piece.shows < shows) last = &piece;
  }
  std::int64_t time = last->from + scaled(shows - last->shows, kSecond, kSecond + drift_);
  while (at(time) < shows) ++time;
  while (time > last->from && at(time - 1) >= shows) --time;
  return time;
}

void SimulatedClock::suspend(Duration lasts) {
  const std::int64_t now = loop_->now();
  if (pieces_.back().from > now) return;
  const std::int64_t shows = at(now);
  pieces_.push_back({now, shows, false});
  pieces_.push_back({now + lasts.count(), shows, true});
}

}  // namespace gauntlet
