// The hold model of an event queue, to count the instructions of: a constant number of pending events, each of which
// schedules one more when it fires (Vaucher and Duval, "A comparison of simulation event list algorithms", CACM 18(4),
// 1975). On the engine, or beside it on a bare std::priority_queue.
//
//   event_cost engine|priority_queue PENDING EVENTS
#include "core/random/stream.hpp"
#include "sim/engine/engine.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

struct Event {
  std::uint64_t component = 0;
};

// Drawn beforehand, so that the queue alone differs between two numbers of events.
std::vector<Duration> waits() {
  std::vector<Duration> all(1 << 12);
  Stream stream({.study = 1}, stream_name("cost.waits"));
  for (Duration& wait : all) wait = Duration(1 + static_cast<std::int64_t>(stream.below(2'000'000'000)));
  return all;
}

Time hold_on_engine(std::uint64_t pending, std::uint64_t events, const std::vector<Duration>& waits) {
  Engine<Event> engine;
  for (std::uint64_t i = 0; i < pending; ++i) engine.after(waits[i % waits.size()], Priority::world, {});
  for (std::uint64_t i = 0; i < events; ++i) {
    const Event event = *engine.next(kNever);
    engine.after(waits[i % waits.size()], Priority::world, {event.component + 1});
  }
  return engine.now();
}

struct Entry {
  Time at;
  std::uint64_t sequence;
  Event event;
  friend bool operator>(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

Time hold_on_priority_queue(std::uint64_t pending, std::uint64_t events, const std::vector<Duration>& waits) {
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  Time now = kStart;
  std::uint64_t sequence = 0;
  for (std::uint64_t i = 0; i < pending; ++i) queue.push({now + waits[i % waits.size()], ++sequence, {}});
  for (std::uint64_t i = 0; i < events; ++i) {
    const Entry entry = queue.top();
    queue.pop();
    now = entry.at;
    queue.push({now + waits[i % waits.size()], ++sequence, {entry.event.component + 1}});
  }
  return now;
}

}  // namespace
}  // namespace gauntlet

int main(int argc, char** argv) {
  using namespace gauntlet;
  if (argc != 4) return 2;
  const std::string_view queue = argv[1];
  if (queue != "engine" && queue != "priority_queue") return 2;
  const auto hold = queue == "engine" ? hold_on_engine : hold_on_priority_queue;
  const Time now = hold(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10), waits());
  std::printf("%lld\n", static_cast<long long>(now.time_since_epoch().count()));  // both queues: the same
}
