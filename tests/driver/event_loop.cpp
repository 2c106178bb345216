#include "tests/driver/event_loop.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gauntlet {

void EventLoop::at(std::int64_t when, std::function<void()> what) {
  queue_.push({std::max(when, now_), scheduled_++, std::move(what)});
}

void EventLoop::run(std::int64_t until, const std::function<bool()>& done) {
  constexpr std::uint64_t kMostEvents = 5'000'000;  // a hundred times what a long run takes
  while (!failed() && !done()) {
    if (queue_.empty() || queue_.top().when > until) {
      now_ = std::max(now_, until);
      return;
    }
    // Moved out of the queue before it runs: it may schedule, and run the loop itself.
    Event next = std::move(const_cast<Event&>(queue_.top()));
    queue_.pop();
    now_ = std::max(now_, next.when);
    if (now_ > end) return fail("the drill does not end");
    if (++events_ > kMostEvents) return fail("events without end");
    next.what();
  }
}

void EventLoop::fail(const std::string& why) {
  if (failed()) return;
  trace("FAILURE: " + why);
  failure_ = why;
}

void EventLoop::trace(const std::string& line) {
  if (!tracing) return;
  char time[32];
  std::snprintf(time, sizeof time, "%12.6f  ", static_cast<double>(now_ - kBegan) * 1e-9);
  lines_.push_back(time + line);
}

}  // namespace gauntlet
