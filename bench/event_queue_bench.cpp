// The event queue under the hold model: a constant number of pending events, each of which schedules one more
// when it fires (Vaucher and Duval, "A comparison of simulation event list algorithms", CACM 18(4), 1975).
// Beside it the same loop over a bare std::priority_queue, which it may take three times as long as.
#include "bench/event_queue_bench.hpp"

#include "core/random/stream.hpp"
#include "sim/engine/engine.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace gauntlet {
namespace {

struct Event {
  std::uint64_t component = 0;
};

// Waits are drawn beforehand, so that only the queue is timed. They are uniform: how a heap fares hardly
// depends on the law.
class Waits {
 public:
  Waits() : waits_(1 << 20) {
    Stream stream({.study = 1}, stream_name("bench.waits"));
    for (Duration& wait : waits_) wait = Duration(1 + static_cast<std::int64_t>(stream.below(2'000'000'000)));
  }
  Duration next() { return waits_[next_++ & (waits_.size() - 1)]; }

 private:
  std::vector<Duration> waits_;
  std::size_t next_ = 0;
};

void hold_engine(benchmark::State& state) {
  Waits waits;
  Engine<Event> engine;
  for (std::int64_t i = 0; i < state.range(0); ++i) engine.after(waits.next(), Priority::world, {});
  for (auto _ : state) {
    const Event event = *engine.next(kNever);
    engine.after(waits.next(), Priority::world, {event.component + 1});
  }
  state.SetItemsProcessed(state.iterations());
}

// As above, and each event puts a timeout off, which never fires.
void hold_engine_with_timeout(benchmark::State& state) {
  Waits waits;
  Engine<Event> engine;
  for (std::int64_t i = 0; i < state.range(0); ++i) engine.after(waits.next(), Priority::world, {});
  Timer timeout;
  for (auto _ : state) {
    const Event event = *engine.next(kNever);
    engine.after(waits.next(), Priority::world, {event.component + 1});
    engine.set(timeout, engine.now() + std::chrono::seconds(3600), Priority::timer, {});
  }
  state.SetItemsProcessed(state.iterations());
}

struct Entry {
  Time at;
  std::uint64_t sequence;
  Event event;
  friend bool operator>(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

void hold_priority_queue(benchmark::State& state) {
  Waits waits;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::uint64_t sequence = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push({kStart + waits.next(), ++sequence, {}});
  for (auto _ : state) {
    const Entry entry = queue.top();
    queue.pop();
    queue.push({entry.at + waits.next(), ++sequence, {entry.event.component + 1}});
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void register_event_queue_benchmarks() {
  const auto add = [](const char* name, void (*hold)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, hold)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);
  };
  add("event_queue/priority_queue", hold_priority_queue);
  add("event_queue/engine", hold_engine);
  add("event_queue/engine_with_timeout", hold_engine_with_timeout);
}

}  // namespace gauntlet
