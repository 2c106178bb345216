// A small cluster with checkpoints in every tier, and a test in the place of its policies.
#pragma once

#include "sim/sim_cluster.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// 8 hosts and 4 spares, steps of 1 s, checkpoints that block nothing: memory every 10 s, peers every 30 s, storage every 60 s,
/// which takes 20 s to write. Loads take 1 s, 2 s and 4 s, with every rank 8 s.
inline World tiered_world() {
  using namespace std::chrono_literals;
  World world = one_fault_world(8, Law::exponential(1));
  world.faults.clear();
  world.inventory.spares = 4;
  world.job.step_time = 1s;
  world.job.steps = 0;
  world.job.window = 1h;
  world.job.start = {};
  world.job.stop_time = {};
  world.storage = {};
  world.storage.free = true;
  world.storage.persist = 20s;
  world.storage.load = 4s;
  world.storage.weight_bytes = 0;
  world.storage.memory.load = 1s;
  world.storage.peers.load = 2s;
  world.storage.keep_last = 100;
  return world;
}

/// A crash of a host, or of processes alone, at each of these times.
inline void add_crashes(World& world, ComponentKind where,
                        std::vector<std::pair<Time, std::uint32_t>> trace) {
  FaultKind kind;
  kind.name = "fault" + std::to_string(world.faults.size());
  kind.component = where;
  kind.effect = Effect::crash;
  kind.remedy = where == ComponentKind::host ? Remedy::repair : Remedy::restart;
  kind.trace = std::move(trace);
  world.faults.push_back(kind);
}

/// A host that holds up the job for so long.
inline void add_stall(World& world, Time at, Duration lasts) {
  FaultKind kind;
  kind.name = "stall" + std::to_string(world.faults.size());
  kind.component = ComponentKind::host;
  kind.effect = Effect::stall;
  kind.heals_after = Law::constant(to_seconds(lasts));
  kind.trace = {{at, static_cast<std::uint32_t>(world.faults.size())}};
  world.faults.push_back(kind);
}

inline Start going_back(std::uint32_t back, Restore restore = Restore::one_reader) {
  Start start{};
  start.back = back;
  start.restore = restore;
  return start;
}

enum class TelemetryKind : std::uint8_t { elided, full };

class Driver {
 public:
  /// Training has begun, with checkpoints in every tier.
  explicit Driver(const World& world, TelemetryKind telemetry = TelemetryKind::elided)
      : Driver(world, 1, telemetry) {
    using namespace std::chrono_literals;
    give(CheckpointEvery{JobId{0}, 10s, Tier::memory});
    give(CheckpointEvery{JobId{0}, 30s, Tier::peers});
    give(CheckpointEvery{JobId{0}, 60s, Tier::storage});
    EXPECT_EQ(start(Start{}), 0);
  }
  /// Nothing has begun.
  Driver(World world, std::uint64_t seed, TelemetryKind telemetry = TelemetryKind::elided)
      : world_(std::move(world)), cluster_(world_) {
    cluster_.reset({.study = seed}, telemetry == TelemetryKind::full);
  }
  Outcome give(const Action& what) {
    const OrderId id{++orders_};
    cluster_.start({id, what});
    while (const auto seen = cluster_.next(kStart + std::chrono::hours(1000))) {
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      if (outcome != nullptr && outcome->order == id) return *outcome;
    }
    ADD_FAILURE() << "no outcome";
    return {};
  }
  void run_until(Time until) {
    while (cluster_.next(until)) {
    }
    // The cluster's clock stands at its last event: an order that waits brings it to `until`.
    give(Wake{until});
  }
  /// What watches tell until then.
  std::vector<Seen> heard_until(Time until) {
    std::vector<Seen> heard;
    while (const auto seen = cluster_.next(until))
      if (const auto* told = std::get_if<Seen>(&seen->what)) heard.push_back(*told);
    return heard;
  }
  /// How often a fault of that kind struck so far.
  std::size_t strikes(FaultKindId kind) const {
    std::size_t count = 0;
    for (const Truth& each : cluster_.truth())
      count += each.what == TruthKind::onset && each.kind == kind ? 1U : 0U;
    return count;
  }
  /// When a pause first became a stop.
  std::optional<Time> escalated() const {
    for (const Truth& each : cluster_.truth())
      if (each.what == TruthKind::escalated) return each.at;
    return std::nullopt;
  }
  /// When and how the run ends, if it does by then.
  std::optional<std::pair<Time, Ending>> ends_by(Time until) {
    while (const auto seen = cluster_.next(until))
      if (const auto* finished = std::get_if<Finished>(&seen->what))
        return std::pair(seen->at, finished->ending);
    return std::nullopt;
  }
  /// How long the repair of a host that was evicted just now takes.
  Duration until_returned() {
    const Time evicted = cluster_.now();
    while (const auto seen = cluster_.next(kStart + std::chrono::hours(1000))) {
      if (std::holds_alternative<HostReturned>(seen->what)) return seen->at - evicted;
    }
    return {};
  }
  void replace(std::uint32_t host) {
    EXPECT_EQ(give(Evict{HostId{host}}).status, Status::done);
    EXPECT_EQ(give(Acquire{JobId{0}}).status, Status::done);
  }
  void stop() { give(Stop{JobId{0}, StopReason::fault}); }
  /// The step that is loaded; how long the start took: `took`.
  std::int64_t start(Start how) {
    how.collective_timeout = std::chrono::minutes(10);
    const Outcome outcome = give(how);
    EXPECT_EQ(outcome.status, Status::done);
    took = outcome.took;
    const auto* loaded = std::get_if<Loaded>(&outcome.result);
    return loaded == nullptr ? -1 : loaded->step;
  }

  Time now() const { return cluster_.now(); }

  Duration took{};

 private:
  World world_;
  SimCluster cluster_;
  std::uint64_t orders_ = 0;
};

}  // namespace gauntlet
