#include "sim/engine/engine.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

std::size_t allocations = 0;

}  // namespace

// Counts what this program allocates, for the tests that nothing grows.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using NumberEngine = Engine<std::uint32_t>;

constexpr Priority kPriorities[] = {Priority::fault,     Priority::world, Priority::heartbeat,
                                    Priority::telemetry, Priority::timer, Priority::end};

Time at(std::int64_t nanoseconds) { return kStart + Duration(nanoseconds); }

std::vector<std::uint32_t> drain(NumberEngine& engine) {
  std::vector<std::uint32_t> events;
  while (const auto event = engine.next(kNever)) events.push_back(*event);
  return events;
}

// --- order -------------------------------------------------------------------------------------------------

TEST(Engine, RunsEventsInOrderOfTime) {
  NumberEngine engine;
  engine.at(at(30), Priority::world, 3);
  engine.at(at(10), Priority::world, 1);
  engine.after(20ns, Priority::world, 2);
  EXPECT_EQ(engine.pending(), 3u);
  EXPECT_EQ(engine.next_time(), at(10));
  for (const std::uint32_t n : {1u, 2u, 3u}) {
    EXPECT_EQ(engine.next(kNever), n);
    EXPECT_EQ(engine.now(), at(10 * n));
  }
  EXPECT_EQ(engine.next(kNever), std::nullopt);
  EXPECT_EQ(engine.now(), at(30)) << "there is no time to move to";
  EXPECT_EQ(engine.events(), 3u);
}

TEST(Engine, RunsEqualTimesByPriority) {
  NumberEngine engine;
  for (std::uint32_t i = 6; i-- > 0;) engine.at(at(7), kPriorities[i], i);
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Engine, KnowsWhichPrioritiesOfAnInstantWereReached) {
  NumberEngine engine;
  EXPECT_FALSE(engine.reached(Priority::world)) << "nothing has happened yet";
  engine.at(at(7), Priority::world, 0);
  engine.at(at(7), Priority::timer, 1);
  engine.at(at(9), Priority::fault, 3);
  engine.next(kNever);
  EXPECT_TRUE(engine.reached(Priority::world));
  EXPECT_FALSE(engine.reached(Priority::heartbeat));
  engine.next(kNever);
  EXPECT_TRUE(engine.reached(Priority::heartbeat));
  engine.at(at(7), Priority::world, 2);
  EXPECT_EQ(engine.next(kNever), 2u);
  EXPECT_TRUE(engine.reached(Priority::timer)) << "an event of an earlier priority, scheduled by a timer";
  EXPECT_EQ(engine.next(kNever), 3u);
  EXPECT_FALSE(engine.reached(Priority::world)) << "another instant";
  EXPECT_EQ(engine.next(at(9)), std::nullopt);
  EXPECT_TRUE(engine.reached(Priority::end)) << "all that was scheduled for this instant has come";
  engine.reset();
  EXPECT_FALSE(engine.reached(Priority::world));
}

TEST(Engine, RunsEqualTimesAndPrioritiesFirstInFirstOut) {
  NumberEngine engine;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    engine.at(at(7), Priority::world, i);
    expected.push_back(i);
  }
  EXPECT_EQ(drain(engine), expected);
}

// What an event schedules for its own instant comes after what is waiting for it, if their priorities are
// equal.
TEST(Engine, AppendsToThePresentInstant) {
  NumberEngine engine;
  engine.at(at(5), Priority::world, 1);
  engine.at(at(5), Priority::world, 2);
  EXPECT_EQ(engine.next(kNever), 1u);
  engine.after(0ns, Priority::world, 3);
  engine.after(0ns, Priority::fault, 4);
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{4, 2, 3}));
}

TEST(Engine, MovesItsClockToWhereItIsToldWithoutAnEvent) {
  NumberEngine engine;
  engine.at(at(10), Priority::world, 1);
  EXPECT_EQ(engine.next(at(9)), std::nullopt);
  EXPECT_EQ(engine.now(), at(9));
  EXPECT_EQ(engine.next(at(4)), std::nullopt);  // not back
  EXPECT_EQ(engine.now(), at(9));
  EXPECT_EQ(engine.next(at(10)), 1u);  // `until` included
}

TEST(Engine, KeepsNoEventThatNeverComes) {
  NumberEngine engine;
  const Timer never = engine.at(kNever, Priority::world, 1);
  const Timer far = engine.after(kForever, Priority::world, 2);
  EXPECT_EQ(engine.pending(), 0u);
  EXPECT_FALSE(engine.pending(never));
  EXPECT_FALSE(engine.pending(far));
  EXPECT_EQ(engine.next_time(), kNever);
}

TEST(EngineDeathTest, SchedulesNothingInThePast) {
  NumberEngine engine;
  engine.next(at(10));
  EXPECT_DEATH(engine.at(at(9), Priority::world, 1), "nothing is scheduled in the past");
}

// --- timers ------------------------------------------------------------------------------------------------

TEST(Timer, NamesItsEventUntilItFiresOrIsCancelled) {
  NumberEngine engine;
  Timer first = engine.at(at(1), Priority::world, 1);
  Timer second = engine.at(at(2), Priority::world, 2);
  EXPECT_TRUE(engine.pending(first) && engine.pending(second));
  const Timer copy = second;
  engine.cancel(second);
  EXPECT_EQ(second, Timer{}) << "cancelling clears the handle";
  EXPECT_FALSE(engine.pending(copy));
  EXPECT_EQ(engine.next(kNever), 1u);
  EXPECT_FALSE(engine.pending(first));
  EXPECT_EQ(engine.next(kNever), std::nullopt);

  // Their slots serve again. The old handles name nothing.
  const Timer third = engine.at(at(3), Priority::world, 3);
  const Timer fourth = engine.at(at(4), Priority::world, 4);
  Timer old[] = {first, copy, Timer{}};
  for (Timer& each : old) {
    EXPECT_FALSE(engine.pending(each));
    engine.cancel(each);
  }
  EXPECT_TRUE(engine.pending(third) && engine.pending(fourth));
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{3, 4}));
}

TEST(Timer, MovesItsEventAndMayHoldIt) {
  NumberEngine engine;
  Timer timer = engine.at(at(5), Priority::world, 1);
  engine.at(at(7), Priority::world, 2);
  engine.set(timer, at(9), Priority::world, 3);
  EXPECT_EQ(engine.pending(), 2u);
  EXPECT_EQ(engine.next_time(), at(7)) << "where it was before, nothing happens";
  engine.set(timer, at(6), Priority::world, 4);
  EXPECT_EQ(engine.next_time(), at(6));
  engine.hold(timer);
  EXPECT_FALSE(engine.pending(timer));
  EXPECT_EQ(engine.pending(), 1u);
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{2}));
  engine.set(timer, at(8), Priority::world, 5);
  EXPECT_TRUE(engine.pending(timer));
  engine.set(timer, kNever, Priority::world, 6);
  EXPECT_FALSE(engine.pending(timer));
  engine.set(timer, at(8), Priority::world, 7);
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{7}));
  EXPECT_EQ(engine.events(), 2u);
  engine.set(timer, at(10), Priority::world, 8);  // it names nothing by now
  Timer other = engine.at(at(9), Priority::world, 9);
  engine.cancel(timer);
  EXPECT_EQ(timer, Timer{});
  engine.hold(other);
  engine.cancel(other);
  EXPECT_EQ(engine.pending(), 0u);
  EXPECT_EQ(engine.next(kNever), std::nullopt);
}

// A moved event counts as scheduled when it was moved.
TEST(Timer, ThatWasMovedComesAfterWhatWasScheduledBefore) {
  NumberEngine engine;
  Timer timer = engine.at(at(5), Priority::world, 1);
  engine.at(at(5), Priority::world, 2);
  engine.set(timer, at(5), Priority::world, 3);
  engine.at(at(5), Priority::world, 4);
  EXPECT_EQ(drain(engine), (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(Timer, OfACancelledEventIsNeverTheNextTime) {
  NumberEngine engine;
  Timer first = engine.at(at(1), Priority::world, 1);
  engine.at(at(2), Priority::world, 2);
  engine.cancel(first);
  EXPECT_EQ(engine.next_time(), at(2));
  EXPECT_EQ(engine.next(at(1)), std::nullopt);
  EXPECT_EQ(engine.now(), at(1));
}

// --- against a reference model -----------------------------------------------------------------------------

/// A list that is searched.
class Model {
 public:
  struct Entry {
    Time at;
    Priority priority;
    std::uint32_t number;  // counts up: the sequence
  };
  void schedule(Time at, Priority priority, std::uint32_t number) {
    entries_.push_back({at, priority, number});
  }
  bool pending(std::uint32_t number) const { return find(number) != entries_.end(); }
  void cancel(std::uint32_t number) {
    if (const auto found = find(number); found != entries_.end()) entries_.erase(found);
  }
  std::size_t pending() const { return entries_.size(); }
  std::optional<Entry> first() const {
    const auto found = std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.at, a.priority, a.number) < std::tie(b.at, b.priority, b.number);
    });
    return found == entries_.end() ? std::nullopt : std::optional(*found);
  }
  std::optional<std::uint32_t> next(Time until) {
    const auto entry = first();
    if (!entry || entry->at > until) {
      if (until != kNever) now = std::max(now, until);
      return std::nullopt;
    }
    now = entry->at;
    cancel(entry->number);
    return entry->number;
  }
  Time now = kStart;

 private:
  std::vector<Entry>::const_iterator find(std::uint32_t number) const {
    return std::find_if(entries_.begin(), entries_.end(),
                        [number](const Entry& each) { return each.number == number; });
  }
  std::vector<Entry> entries_;
};

struct Mix {
  const char* name;
  std::uint64_t schedule, cancel, set, hold;  // how often of 100; in the rest the next one comes
  std::uint64_t horizon;                      // ns into the future: a small one makes ties
};
constexpr Mix kMixes[] = {
    {"growing", 60, 10, 0, 0, 1'000},      {"ties", 35, 15, 10, 5, 3},
    {"cancelling", 50, 48, 0, 0, 100'000}, {"draining", 40, 10, 0, 0, 50},
    {"putting_off", 10, 5, 50, 20, 1'000}, {"putting_off_far", 5, 2, 60, 28, 100'000},
};

class EngineAgainstModel : public testing::TestWithParam<Mix> {};
INSTANTIATE_TEST_SUITE_P(Mixes, EngineAgainstModel, testing::ValuesIn(kMixes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EngineAgainstModel, DoesTheSame) {
  const Mix& mix = GetParam();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Stream stream(Seed{.study = seed}, stream_name("engine"));
    NumberEngine engine;
    Model model;
    std::vector<Timer> timers;  // by number, also of those that have fired or were cancelled
    for (int i = 0; i < 3'000; ++i) {
      const std::uint64_t what = stream.below(100);
      if (what < mix.schedule) {
        const Time when = engine.now() + Duration(static_cast<std::int64_t>(stream.below(mix.horizon)));
        const Priority priority = kPriorities[stream.below(6)];
        const auto number = static_cast<std::uint32_t>(timers.size());
        timers.push_back(engine.at(when, priority, number));
        model.schedule(when, priority, number);
      } else if (what < mix.schedule + mix.cancel + mix.set + mix.hold) {
        if (timers.empty()) continue;
        // One of the last few hundred: many of them are pending still.
        const std::size_t back = stream.below(std::min<std::size_t>(timers.size(), 300));
        const auto number = static_cast<std::uint32_t>(timers.size() - 1 - back);
        ASSERT_EQ(engine.pending(timers[number]), model.pending(number));
        model.cancel(number);
        if (what < mix.schedule + mix.cancel) {
          Timer copy = timers[number];  // the handle stays in the list, naming nothing
          engine.cancel(copy);
        } else if (what < mix.schedule + mix.cancel + mix.set) {
          const Time when = engine.now() + Duration(static_cast<std::int64_t>(stream.below(mix.horizon)));
          const Priority priority = kPriorities[stream.below(6)];
          const auto moved = static_cast<std::uint32_t>(timers.size());
          timers.push_back(std::exchange(timers[number], {}));
          engine.set(timers.back(), when, priority, moved);
          model.schedule(when, priority, moved);
        } else {
          engine.hold(timers[number]);
        }
        ASSERT_FALSE(engine.pending(timers[number]));
      } else {
        const Time until =
            stream.below(2) == 0
                ? kNever
                : engine.now() + Duration(static_cast<std::int64_t>(stream.below(mix.horizon)));
        ASSERT_EQ(engine.next(until), model.next(until)) << "operation " << i;
        ASSERT_EQ(engine.now(), model.now);
      }
      ASSERT_EQ(engine.pending(), model.pending()) << "operation " << i;
      if (i % 7 == 0) {
        const auto first = model.first();
        ASSERT_EQ(engine.next_time(), first ? first->at : kNever);
      }
    }
    while (const auto expected = model.next(kNever)) ASSERT_EQ(engine.next(kNever), expected);
    ASSERT_EQ(engine.next(kNever), std::nullopt);
  }
}

// --- memory ------------------------------------------------------------------------------------------------

// Half of the events of a simulation are timers that never fire: a heartbeat's deadline moves with each
// heartbeat. Here 64 deadlines far ahead move 100,000 times; without sweeping, the queue would hold every one
// of them.
TEST(Engine, SweepsOutWhatWasCancelled) {
  NumberEngine engine;
  std::vector<Timer> deadlines(64);
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    if (i == 10'000) before = allocations;
    Timer& deadline = deadlines[i % deadlines.size()];
    engine.cancel(deadline);
    deadline = engine.at(at(1'000'000'000) + Duration(i), Priority::timer, i);
    ASSERT_LE(engine.pending(), deadlines.size());
  }
  EXPECT_EQ(allocations, before) << "after 10,000 moves nothing grows";
  const std::vector<std::uint32_t> left = drain(engine);
  ASSERT_EQ(left.size(), 64u);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(left[i], 100'000 - 64 + i);
}

// Each comes nearer all the time: what stood for it before is of no use.
TEST(Engine, SweepsOutWhatWasBroughtForward) {
  NumberEngine engine;
  std::vector<Timer> deadlines(64);
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    if (i == 10'000) before = allocations;
    engine.set(deadlines[i % deadlines.size()], at(1'000'000'000) - Duration(i), Priority::timer, i);
    ASSERT_LE(engine.pending(), deadlines.size());
  }
  EXPECT_EQ(allocations, before) << "after 10,000 moves nothing grows";
  const std::vector<std::uint32_t> left = drain(engine);
  ASSERT_EQ(left.size(), 64u);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(left[i], 99'999 - i);
}

TEST(Engine, AllocatesNothingInTheSteadyState) {
  Stream stream(Seed{.study = 1}, stream_name("engine.steady"));
  NumberEngine engine;
  for (std::uint32_t i = 0; i < 200; ++i) engine.after(Duration(i), Priority::world, i);
  Timer cancelled{};
  std::size_t before = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (i == 5'000) before = allocations;
    const auto event = engine.next(kNever);
    ASSERT_TRUE(event);
    engine.after(Duration(static_cast<std::int64_t>(stream.below(1'000))), Priority::world, *event);
    engine.cancel(cancelled);
    cancelled = engine.after(Duration(100'000), Priority::timer, 1'000);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(engine.pending(), 201u);
}

TEST(Engine, KeepsItsMemoryOverAReset) {
  NumberEngine engine;
  const auto fill = [&engine] {
    std::vector<std::uint32_t> order;
    order.reserve(500);
    const std::size_t before = allocations;
    for (std::uint32_t i = 0; i < 500; ++i) {
      Timer timer = engine.after(Duration(i * 7919 % 500), Priority::world, i);
      if (i % 3 == 0) engine.cancel(timer);
    }
    while (const auto event = engine.next(kNever)) order.push_back(*event);
    return std::pair(order, allocations - before);
  };
  const auto [first, first_allocations] = fill();
  const std::uint64_t fingerprint = engine.fingerprint().value();
  EXPECT_GT(first_allocations, 0u);
  engine.reset();
  EXPECT_EQ(engine.now(), kStart);
  EXPECT_EQ(engine.events(), 0u);
  EXPECT_EQ(engine.pending(), 0u);
  EXPECT_EQ(engine.fingerprint(), Fingerprint{});
  const auto [second, second_allocations] = fill();
  EXPECT_EQ(second, first);
  EXPECT_EQ(second_allocations, 0u);
  EXPECT_EQ(engine.fingerprint().value(), fingerprint);
}

// --- fingerprint -------------------------------------------------------------------------------------------

TEST(Engine, FingerprintsWhenEventsHappenAndWhatIsNoted) {
  const auto run = [](Duration when, std::uint64_t noted) {
    NumberEngine engine;
    engine.after(1ns, Priority::world, 0);
    engine.after(when, Priority::world, 1);
    Timer cancelled = engine.after(2ns, Priority::world, 2);  // leaves no trace
    engine.cancel(cancelled);
    while (engine.next(kNever)) engine.fingerprint().add(noted);
    return engine.fingerprint().value();
  };
  EXPECT_EQ(run(5ns, 1), run(5ns, 1));
  EXPECT_NE(run(5ns, 1), run(6ns, 1));
  EXPECT_NE(run(5ns, 1), run(5ns, 2));
  Fingerprint expected;
  for (const std::uint64_t number : {1u, 9u, 5u, 9u}) expected.add(number);  // time, note, time, note
  EXPECT_EQ(run(5ns, 9), expected.value());
}

}  // namespace
}  // namespace gauntlet
