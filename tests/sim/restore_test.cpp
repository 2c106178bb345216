// Which checkpoint a start goes back to, and what it takes.
#include "sim/job/stored_checkpoints.hpp"
#include "sim/sim_cluster.hpp"
#include "tests/sim/hand_driven.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// --- what storage keeps ----------------------------------------------------------------------------------------------

TEST(StoredCheckpoints, KeepWhatAListOfAllOfThemWouldKeep) {
  Stream draw(Seed{.study = 11}, stream_name("stored"));
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw.below(n)); };
  for (int round = 0; round < 300; ++round) {
    StorageModel storage;
    storage.keep_last = static_cast<std::uint32_t>(1 + below(4));
    storage.keep_every = static_cast<std::uint32_t>(below(3) == 0 ? 0 : 2 + below(4));
    StoredCheckpoints stored(storage);
    std::map<std::int64_t, std::int64_t> all;  // number, step
    std::int64_t number = 1, step = 0;
    for (int i = 0; i < 12; ++i) {
      if (below(4) == 0 && !all.empty()) {
        step = below(static_cast<std::uint64_t>(step) + 1);
        stored.forget_after(step);
        std::erase_if(all, [&](const auto& each) { return each.second > step; });
      }
      number += below(3);  // some were never finished
      const std::int64_t count = 1 + below(6), apart = 1 + below(9);
      stored.add({number, step + 1}, count, apart);
      for (std::int64_t n = 0; n < count; ++n) {  // one after the other
        step += n == 0 ? 1 : apart;
        all[number++] = step;
        std::size_t newer = all.size();
        for (auto each = all.begin(); each != all.end(); --newer) {
          const bool forever = storage.keep_every > 0 && each->first % storage.keep_every == 0;
          each = newer > storage.keep_last && !forever ? all.erase(each) : std::next(each);
        }
      }
      std::optional<StoredCheckpoints::One> one = stored.newest();
      std::uint32_t back = 0;
      for (auto each = all.rbegin(); each != all.rend(); ++each, ++back) {
        ASSERT_EQ(one, (StoredCheckpoints::One{each->first, each->second})) << "round " << round;
        ASSERT_EQ(stored.newest(back), one);
        one = stored.before(*one);
      }
      EXPECT_FALSE(one);
      EXPECT_EQ(stored.newest(1000)->number, all.begin()->first);
    }
  }
}

TEST(StoredCheckpoints, MeetTheSameMishapsWhateverIsAskedFirst) {
  StorageModel storage;
  storage.corrupt = {0.3};
  storage.slow_write = {0.1};
  storage.slow_factor = 4;
  StoredCheckpoints one(storage), other(storage);
  one.reset({.study = 5});
  other.reset({.study = 5});
  int corrupt = 0, slow = 0;
  for (std::int64_t n = 1; n <= 10'000; ++n) {
    corrupt += one.corrupt(n) ? 1 : 0;
    slow += one.slowness(n) == 4 ? 1 : 0;
  }
  for (std::int64_t n = 10'000; n > 9'900; --n) {
    EXPECT_EQ(other.slowness(n), one.slowness(n));
    EXPECT_EQ(other.corrupt(n), one.corrupt(n));
  }
  EXPECT_NEAR(corrupt, 3000, 4 * 46);  // standard deviation sqrt(10,000 x 0.3 x 0.7)
  EXPECT_NEAR(slow, 1000, 4 * 30);
}

// --- the cluster -----------------------------------------------------------------------------------------------------

TEST(Restore, LoadsTheNewestCopyThatOutlivedTheFault) {
  // At 115 s memory holds step 110, peers' memory 90, storage 60 (taken at 60 s, durable at 80 s).
  const struct {
    const char* what;
    ComponentKind where;
    std::vector<std::uint32_t> hosts;
    std::int64_t step;
    Duration load;
  } table[] = {
      {"processes", ComponentKind::gpu, {3}, 110, 1s},
      {"one host", ComponentKind::host, {3}, 90, 2s},
      {"hosts of different groups", ComponentKind::host, {1, 3}, 90, 2s},
      {"neighbours", ComponentKind::host, {2, 3}, 90, 2s},
      {"a whole group", ComponentKind::host, {2, 6}, 60, 4s},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.what);
    World world = tiered_world();
    std::vector<std::pair<Time, std::uint32_t>> trace;
    for (const std::uint32_t host : row.hosts) trace.emplace_back(kStart + 115s, host);
    add_crashes(world, row.where, trace);
    Driver driver(world);
    driver.run_until(kStart + 116s);
    driver.stop();
    if (row.where == ComponentKind::host)
      for (const std::uint32_t host : row.hosts) driver.replace(host);
    EXPECT_EQ(driver.start(Start{}), row.step);
    EXPECT_EQ(driver.took, row.load);
  }
}

// A host whose agent is gone is started on once more: what it held is copied back to it, and lost again when the fault returns.
TEST(Restore, AFaultThatReturnsTakesTheMemoryOfItsHostAgain) {
  World world = tiered_world();
  add_crashes(world, ComponentKind::host, {{kStart + 115s, 3}});
  world.faults[0].symptoms.heartbeat_lost = true;
  Driver driver(world);
  driver.run_until(kStart + 116s);
  for (int start = 0; start < 3; ++start) {
    driver.stop();
    EXPECT_EQ(driver.start(Start{}), 90);
    EXPECT_EQ(driver.took, 2s);  // from peers, each time
  }
}

// Whoever acts late on a fault meets the same chances: how long its repair takes, whether a probe finds it, how long the starts that
// follow take.
TEST(Restore, WhatComesOfAFaultIsDrawnByTheFault) {
  World world = tiered_world();
  world.job.window = 900h;
  world.repair.time = Law::exponential(3600);
  world.job.start.communicator_init = Law::exponential(100);
  ProbeKind probe;
  probe.name = "coin";
  probe.time = 1s;
  probe.detects = {Probability{0.5}};
  world.probes = {probe};
  add_crashes(world, ComponentKind::host, {{kStart + 115s, 3}});
  std::vector<Duration> repairs, starts;
  std::vector<std::vector<Verdict>> verdicts;
  for (const Time until : {kStart + 116s, kStart + 117s, kStart + 500s}) {
    Driver driver(world);
    driver.run_until(until);
    driver.stop();
    std::vector<Verdict>& found = verdicts.emplace_back();
    for (int i = 0; i < 20; ++i)
      found.push_back(
          std::get<Probed>(driver.give(Probe{ProbeId{0}, Scope::one(component(HostId{3})), {}}).result)
              .verdict);
    EXPECT_EQ(driver.give(Evict{HostId{3}}).status, Status::done);
    repairs.push_back(driver.until_returned());
    EXPECT_EQ(driver.give(Acquire{JobId{0}}).status, Status::done);
    driver.start(Start{});
    starts.push_back(driver.took);
    driver.stop();
    driver.start(Start{});
    EXPECT_NE(driver.took, starts.back());
  }
  EXPECT_EQ(repairs, std::vector(3, repairs[0]));
  EXPECT_EQ(starts, std::vector(3, starts[0]));
  EXPECT_EQ(verdicts, std::vector(3, verdicts[0]));
  EXPECT_EQ(std::set(verdicts[0].begin(), verdicts[0].end()).size(), 2U);
}

// A bug stops the job at step 115 whenever that is reached, and a crash comes between, and people who want it to stop: the bug's
// second start is not its first.
TEST(Restore, AFaultThatReturnsDrawsAnew) {
  World world = tiered_world();
  world.job.start.communicator_init = Law::exponential(100);
  add_crashes(world, ComponentKind::job, {{kStart + 115s, 0}});
  world.faults[0].same_step = true;
  world.faults[0].remedy = Remedy::person;
  add_crashes(world, ComponentKind::gpu, {{kStart + 117s, 3}});
  for (FaultKind& each : world.faults) each.clock = FaultClock::training;
  for (int i = 1; i < 20; ++i) world.job.planned_stops.push_back({.at = kStart + i * 97s, .hold = 1s});
  Driver driver(world);
  std::vector<Duration> took;
  for (int stop = 0; stop < 6; ++stop) {
    driver.run_until(driver.now() + 200s);
    driver.stop();
    driver.start(Start{});
    took.push_back(driver.took);
  }
  std::sort(took.begin(), took.end());
  EXPECT_EQ(std::adjacent_find(took.begin(), took.end()), took.end());
}

// Repairs that fail in silence are drawn anew each time: two visits on average, and none for ever.
TEST(Restore, ARepairThatFailedMayHoldTheNextTime) {
  World world = tiered_world();
  world.job.window = 9000h;
  world.repair.time = Law::exponential(3600);
  world.repair.silent_failure = {0.5};
  ProbeKind probe;
  probe.name = "sure";
  probe.detects = {Probability{1}};
  world.probes = {probe};
  add_crashes(world, ComponentKind::host, {{kStart, 3}});
  constexpr int kHosts = 200;
  int visits = 0;
  for (std::uint64_t seed = 1; seed <= kHosts; ++seed) {
    Driver driver(world, seed);
    driver.run_until(kStart + 1s);
    std::set<Duration> times;
    for (bool broken = true; broken && times.size() < 40; ++visits) {
      EXPECT_EQ(driver.give(Evict{HostId{3}}).status, Status::done);
      EXPECT_TRUE(times.insert(driver.until_returned()).second) << "seed " << seed;
      EXPECT_EQ(driver.give(Readmit{HostId{3}}).status, Status::done);
      const Outcome outcome = driver.give(Probe{ProbeId{0}, Scope::one(component(HostId{3})), {}});
      broken = std::get<Probed>(outcome.result).verdict == Verdict::faulty;
    }
  }
  // Geometric, of variance 2.
  EXPECT_NEAR(static_cast<double>(visits) / kHosts, 2, 4 * std::sqrt(2.0 / kHosts));
}

TEST(Restore, AHostThatIsReplacedTakesItsMemoryAlong) {
  const World world = tiered_world();
  Driver driver(world);
  driver.run_until(kStart + 115s);
  driver.stop();
  driver.replace(0);
  EXPECT_EQ(driver.start(Start{}), 90);  // 2 s: until 117 s
  driver.stop();                         // what was loaded from peers is in every host's memory again
  EXPECT_EQ(driver.start(Start{}), 90);
  EXPECT_EQ(driver.took, 1s);
  driver.run_until(kStart + 119s);
  driver.stop();
  driver.replace(1);
  driver.replace(5);  // a whole group: peers' copies are gone for good
  EXPECT_EQ(driver.start(Start{}), 60);
  driver.stop();
  EXPECT_EQ(driver.start(Start{}), 60);
  EXPECT_EQ(driver.took, 4s);
}

TEST(Restore, WhatIsInMemoryOutlivesProcessesAndNoHostThatStartsAnew) {
  for (const bool heard : {true, false}) {
    World world = tiered_world();
    add_crashes(world, ComponentKind::host, {{kStart + 115s, 3}});
    world.faults[0].remedy = Remedy::restart;
    world.faults[0].symptoms.heartbeat_lost = !heard;
    Driver driver(world);
    driver.run_until(kStart + 116s);
    driver.stop();
    EXPECT_EQ(driver.start(Start{}), heard ? 110 : 90);
  }
}

// Memory every 10 s, of which those of 30 s, 60 s, 90 s ... go further and are whole.
TEST(Restore, AppliesTheIncrementsSinceTheLastWholeCheckpoint) {
  World world = tiered_world();
  world.storage.memory.increment = 0.1;
  world.storage.memory.apply = 250ms;
  for (const auto& [until, step, increments] :
       {std::tuple{95s, 90, 0}, std::tuple{105s, 100, 1}, std::tuple{119s, 110, 2}}) {
    Driver driver(world);
    driver.run_until(kStart + until);
    driver.stop();
    EXPECT_EQ(driver.start(Start{}), step);
    EXPECT_EQ(driver.took,
              1s + increments * 350ms);  // a tenth of the second that all of it takes, and 0.25 s
  }
  Driver driver(world);
  driver.run_until(kStart + 119s);
  driver.stop();
  EXPECT_EQ(driver.start(Start{}), 110);  // until 120.7 s; what was loaded is whole
  driver.stop();
  EXPECT_EQ(driver.start(Start{}), 110);
  EXPECT_EQ(driver.took, 1s);
}

TEST(Restore, GoesBackInStorageWhateverIsInMemory) {
  const World world = tiered_world();
  Driver driver(world);
  driver.run_until(kStart + 330s);  // stored: 60, 120, 180, 240, 300
  driver.stop();
  EXPECT_EQ(driver.start(going_back(2)), 180);
  driver.stop();  // what came after is gone, in memory too
  EXPECT_EQ(driver.start(Start{}), 180);
  EXPECT_EQ(driver.took, 4s);
  driver.stop();
  EXPECT_EQ(driver.start(going_back(50)), 60);
}

TEST(Restore, TakesThePhasesOfAStartInTheirScale) {
  World world = tiered_world();
  world.job.start.scheduling = Law::constant(100);
  world.job.start.process_start = Law::constant(10);
  world.job.start.communicator_init = Law::constant(8);
  world.job.start.data_loader = Law::constant(3);
  world.job.start.warm_up = Law::constant(2);
  world.job.start.growth.communicator_init = 2;
  world.job.start.at_gpus = 2 * world.job.layout.ranks();
  Driver driver(world);
  EXPECT_EQ(driver.took, 117s);  // 100 + 10 + 8 / 2^2 + 3 + 2, nothing to load
  driver.stop();
  Start held{};
  held.schedule = false;
  driver.start(held);
  EXPECT_EQ(driver.took, 17s);
}

TEST(Restore, EveryRankReadsMore) {
  World world = tiered_world();
  world.job.model.parameters = 1000;
  world.storage.weight_bytes = world.storage.bytes_per_parameter;  // all is replicated
  Driver driver(world);
  driver.run_until(kStart + 100s);
  driver.stop();
  EXPECT_EQ(driver.start(going_back(1, Restore::every_rank)), 60);
  EXPECT_EQ(driver.took, 4s * world.job.layout.size(Dimension::data));
}

TEST(Restore, FindsOutWhatIsCorruptByLoadingIt) {
  World world = tiered_world();
  world.storage.corrupt = {1.0};
  {
    Driver driver(world);
    driver.run_until(kStart + 210s);  // stored: 60, 120, 180
    driver.stop();
    EXPECT_EQ(driver.start(Start{}), 210);  // the copies in memory are well
    driver.stop();
    EXPECT_EQ(driver.start(going_back(1)), 0);
    EXPECT_EQ(driver.took, 8s);  // 120 and 60 in vain
  }
  world.storage.corrupt = {0.5};
  Driver driver(world);
  driver.run_until(kStart + 1830s);  // stored: 60 ... 1800
  StoredCheckpoints dice(world.storage);
  dice.reset({.study = 1});
  std::int64_t number = 29, in_vain = 0;  // that of 1740
  for (; dice.corrupt(number); --number) ++in_vain;
  driver.stop();
  EXPECT_EQ(driver.start(going_back(1)), 60 * number);
  EXPECT_EQ(driver.took, 4s * (in_vain + 1));
}

TEST(Restore, PassesOverWhatAFaultDamaged) {
  World world = tiered_world();
  FaultKind damage;
  damage.name = "damage";
  damage.component = ComponentKind::job;
  damage.effect = Effect::none;
  damage.tampers = Tampering::checkpoint;
  damage.remedy = Remedy::restart;
  world.faults.push_back(damage);
  struct Case {
    std::vector<Duration> strikes;
    std::int64_t loaded;
    Duration took;
  };
  // Stored at 210 s: 60, 120 and 180, durable 20 s later. The start goes back to 120, or to an older one. Each load takes 4 s.
  for (const Case& each : {Case{{205s}, 120, 4s},              // 180
                           Case{{205s, 206s}, 60, 8s},         // 180 and 120
                           Case{{199s}, 60, 8s},               // 120: 180 is not complete yet
                           Case{{200s}, 120, 4s},              // 180, which is complete just now
                           Case{{205s, 206s, 207s}, 0, 8s},    // all of them
                           Case{{81s, 82s, 83s}, 120, 4s}}) {  // 60, and nothing else is there
    SCOPED_TRACE(testing::PrintToString(each.strikes.size()));
    world.faults.front().trace.clear();
    for (const Duration at : each.strikes) world.faults.front().trace.emplace_back(kStart + at, 0);
    Driver driver(world);
    driver.run_until(kStart + 210s);
    driver.stop();
    EXPECT_EQ(driver.start(going_back(1)), each.loaded);
    EXPECT_EQ(driver.took, each.took);
  }
}

TEST(Restore, WaitsForStorageThatDoesNotAnswer) {
  World world = tiered_world();
  FaultKind outage;
  outage.name = "outage";
  outage.halts_storage = true;
  outage.component = ComponentKind::job;
  outage.effect = Effect::stall;
  outage.heals_after = Law::constant(30);
  outage.remedy = Remedy::person;
  outage.trace = {{kStart + 65s, 0}, {kStart + 202s, 0}};
  world.faults.push_back(outage);
  {
    // Taken at 60 s, half way through its 20 s when storage is away from 65 s to 95 s: durable at 110 s.
    for (const auto& [until, step] : {std::pair{109s, 0}, std::pair{111s, 60}}) {
      Driver driver(world);
      driver.run_until(kStart + until);
      driver.stop();
      EXPECT_EQ(driver.start(going_back(1)), step);
    }
  }
  Driver driver(world);
  driver.run_until(kStart + 200s);
  driver.stop();
  driver.start(going_back(1));
  EXPECT_EQ(driver.took, 4s + 30s);
}

TEST(Evaluation, IsAPauseOfItsOwn) {
  World world = tiered_world();
  world.job.evaluation = {.every = 40, .time = 100s};
  Driver driver(world);
  // Steps 40 and 80 are followed by 100 s each: step 95 is complete at 295 s.
  driver.run_until(kStart + 295s + 500ms);
  driver.stop();
  EXPECT_EQ(driver.start(Start{}), 90);
}

// --- evaluation -----------------------------------------------------------------------------------------------------

TEST(Evaluation, TakesACheckpointThatIsAskedForMeanwhileWhenItIsOver) {
  World world = tiered_world();
  world.job.evaluation = {.every = 50, .time = 100s};
  Driver driver(world);
  driver.run_until(kStart + 55s);  // since 50 s
  const Outcome saved = driver.give(Checkpoint{JobId{0}});
  EXPECT_EQ(saved.status, Status::done);
  EXPECT_EQ(std::get<Saved>(saved.result).step, 50);
  EXPECT_EQ(saved.took, 95s + 20s);  // until it is durable
}

TEST(Evaluation, GivesWayToAStallThatOutlastsIt) {
  const struct {
    Duration lasts;      // from 100 s on, half way through the evaluation, which ends at 150 s
    bool silent, fatal;  // for longer than a minute, and than the collective timeout of 10 min
  } table[] = {{30s, false, false}, {100s, false, false}, {300s, true, false}, {1000s, true, true}};
  for (const auto& row : table) {
    SCOPED_TRACE(std::to_string(row.lasts.count()) + " ns");
    World world = tiered_world();
    world.job.evaluation = {.every = 50, .time = 100s};
    add_stall(world, kStart + 100s, row.lasts);
    Driver driver(world);
    driver.give(Watch{WatchId{1}, Signal::traffic, Scope::hosts_of(JobId{0}), Silence{1min}, 1});
    const std::vector<Seen> heard = driver.heard_until(kStart + 170s + row.lasts);

    const auto began =
        std::find_if(heard.begin(), heard.end(), [](const Seen& seen) { return seen.edge == Edge::began; });
    ASSERT_EQ(began != heard.end(), row.silent);
    if (row.silent) {  // traffic goes on until the evaluation ends
      EXPECT_GT(began->sensed, kStart + 150s - world.telemetry.traffic_interval + 1min);
      EXPECT_LE(began->sensed, kStart + 150s + 1min);
    }
    EXPECT_EQ(driver.escalated(), row.fatal ? std::optional(kStart + 150s + 10min) : std::nullopt);
  }
}

// --- pauses ------------------------------------------------------------------------------------------------------------

TEST(Pause, LastsAsLongAsAnyOfItsStalls) {
  struct Stall {
    Duration at, lasts;
  };
  const struct {
    const char* what;
    std::vector<Stall> stalls;
    bool at_start;  // another, which came with the start and lasts an hour
    bool fatal;     // the job stands still from 100 s on for longer than the collective timeout of 10 min
  } table[] = {
      {"the second is longer", {{100s, 30s}, {110s, 1000s}}, false, true},
      {"the first is longer", {{100s, 1000s}, {110s, 30s}}, false, true},
      {"they end together", {{100s, 30s}, {110s, 20s}}, false, false},
      {"one after the other", {{100s, 300s}, {200s, 300s}, {450s, 300s}}, false, true},
      {"short enough", {{100s, 300s}, {200s, 300s}}, false, false},
      {"as the start's, which had not held it", {{100s, 6s}}, true, true},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.what);
    World world = tiered_world();
    for (const Stall& each : row.stalls) add_stall(world, kStart + each.at, each.lasts);
    if (row.at_start) {
      add_stall(world, kStart, 1h);
      world.faults.back().trace.clear();
      world.faults.back().component = ComponentKind::job;
      world.faults.back().clock = FaultClock::start;
      world.faults.back().chance.value = 1;
    }
    Driver driver(world);
    driver.give(Watch{WatchId{1}, Signal::traffic, Scope::hosts_of(JobId{0}), Silence{2min}, 1});
    driver.give(Watch{WatchId{2}, Signal::step, Scope::one(component(JobId{0})), Silence{2min}, 0});
    const std::vector<Seen> heard = driver.heard_until(kStart + 720s);

    const bool silent = row.stalls.front().lasts != 30s || row.fatal;
    for (const WatchId watch : {WatchId{1}, WatchId{2}}) {
      const auto began = std::find_if(heard.begin(), heard.end(), [&](const Seen& seen) {
        return seen.watch == watch && seen.edge == Edge::began;
      });
      ASSERT_EQ(began != heard.end(), silent) << "watch " << watch.value;
      if (silent) {
        EXPECT_NEAR(to_seconds(began->sensed - kStart), 100 + 120, 1.1) << "watch " << watch.value;
      }
    }
    EXPECT_EQ(driver.escalated(), row.fatal ? std::optional(kStart + 100s + 10min) : std::nullopt);
  }
}

TEST(Pause, CountsForAJobThatGivesUp) {
  const struct {
    Duration lasts;             // from 100.5 s on, when 100 steps were complete
    std::optional<Time> crash;  // after which nobody starts the job again
    bool gives_up;              // 5 min after the 100th step
  } table[] = {{298s, {}, false}, {302s, {}, true}, {200s, kStart + 150s, true}};
  for (const auto& row : table) {
    SCOPED_TRACE(std::to_string(row.lasts.count()) + " ns");
    World world = tiered_world();
    world.job.give_up_after = 5min;
    add_stall(world, kStart + 100s + 500ms, row.lasts);
    if (row.crash) add_crashes(world, ComponentKind::host, {{*row.crash, 5}});
    Driver driver(world);
    const auto end = driver.ends_by(kStart + 500s);
    ASSERT_EQ(end.has_value(), row.gives_up);
    if (row.gives_up) {
      EXPECT_EQ(*end, std::pair(kStart + 400s, Ending::gave_up));
    }
  }
}

// --- faults of starts ------------------------------------------------------------------------------------------------

/// One start in two meets it, and what removes it is `remedy`.
World world_of_bad_starts(Remedy remedy) {
  World world = tiered_world();
  world.job.start.process_start = Law::constant(3600);
  world.job.window = 1000h;
  FaultKind kind;
  kind.name = "image";
  kind.component = ComponentKind::job;
  kind.clock = FaultClock::start;
  kind.effect = Effect::crash;
  kind.remedy = remedy;
  kind.chance.value = 0.5;
  world.faults.push_back(kind);
  return world;
}

/// Starts that fail, of `most`, before one does not.
int fails_in_a_row(Driver& driver, int most) {
  Start start{};
  start.collective_timeout = 10min;
  int fails = 0;
  while (fails < most && driver.give(start).status == Status::failed) {
    ++fails;
    driver.stop();
  }
  return fails;
}

TEST(BadStarts, ComeBackUntilTheirRemedy) {
  constexpr int kMany = 40;  // by chance alone, once in 10^12
  int by_chance = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Driver restarted(world_of_bad_starts(Remedy::restart), seed);
    by_chance += fails_in_a_row(restarted, kMany);
    Driver asked(world_of_bad_starts(Remedy::person), seed);
    int fails = 0;
    for (int asks = 0; (fails = fails_in_a_row(asked, kMany)) == kMany; ++asks) {
      ASSERT_LT(asks, kMany) << "seed " << seed;
      asked.give(Ask{JobId{0}});
    }
    EXPECT_EQ(fails, 0) << "seed " << seed;
  }
  EXPECT_GT(by_chance, 2);  // 20 in the mean, with a deviation of 6
  EXPECT_LT(by_chance, 45);
}

}  // namespace
}  // namespace gauntlet
