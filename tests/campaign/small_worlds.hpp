// An 8-host cluster with every effect there is, for tests that go through the whole simulator.
#pragma once

#include "core/record/codec.hpp"
#include "models/world/world.hpp"
#include "policies/constants.hpp"
#include "study/replica.hpp"

#include <sstream>
#include <string>

namespace gauntlet {

inline constexpr Duration kSecond = std::chrono::seconds(1);
inline constexpr Duration kMinute = std::chrono::minutes(1);
inline constexpr Duration kHour = std::chrono::hours(1);

/// Eight hosts of eight GPUs, two spares, no fault yet. Steps of 10 s, checkpoints of 2 s that are durable 30 s later.
inline World eight_hosts() {
  World world;
  world.name = "eight-hosts";
  world.hardware.gpus_per_host = 8;
  world.hardware.nics_per_host = 8;
  world.inventory = {.job_hosts = 8,
                     .spares = 2,
                     .gpus_per_host = 8,
                     .hosts_per_tor = 2,
                     .layout = {.tp = 8, .pp = 2, .dp = 4}};
  world.job.layout = world.inventory.layout;
  world.job.global_batch = 4;
  world.job.step_time = 10 * kSecond;
  world.job.stop_time = 5 * kSecond;
  world.job.window = 24 * kHour;
  world.job.give_up_after = 12 * kHour;
  world.job.start.scheduling = Law::constant(20);
  world.job.start.communicator_init = Law::constant(40);
  world.storage.stall = 2 * kSecond;
  world.storage.persist = 30 * kSecond;
  world.storage.load = 10 * kSecond;
  world.telemetry.heartbeat_period = 10 * kSecond;
  world.telemetry.heartbeat_jitter = 2 * kSecond;
  world.repair.time = Law::constant(3 * 3600);
  world.people.response = Law::constant(1800);
  world.patterns = {"collective_timeout", "peer_lost", "xid"};
  world.probes = {
      {.name = "stress", .time = 2 * kMinute, .false_positive = {0.01}, .detects = {}, .source = ""}};
  return world;
}

inline PolicyConstants every_detector() {
  PolicyConstants policies;
  policies.names = {.detect = {"heartbeat", "exit", "log", "collective-timeout", "hang"},
                    .diagnose = "suite",
                    .checkpoint = "fixed",
                    .recover = "replace"};
  policies.detection = {.heartbeat_timeout = kMinute,
                        .hang_timeout = 15 * kMinute,
                        .collective_timeout = 10 * kMinute,
                        .lines = {{PatternId{2}}}};
  policies.diagnosis.suite = {ProbeId{0}};
  policies.checkpoint.interval = 10 * kMinute;
  policies.checkpoint.prior_mtbf = 4 * kHour;
  policies.checkpoint.prior_cost = 2 * kSecond;
  policies.recovery = {.restarts_in_place = 1, .relapse_window = 30 * kMinute};
  return policies;
}

/// A fault of every effect and of most symptoms, none of which strikes by itself: `trace` or `life` says when.
inline std::vector<FaultKind> every_fault() {
  const auto kind = [](const char* name, Effect effect) {
    FaultKind fault;
    fault.name = name;
    fault.effect = effect;
    fault.life = Law::exponential(1e15);
    return fault;
  };
  FaultKind crash_logged = kind("crash_logged", Effect::crash);
  crash_logged.symptoms.log = PatternId{2};
  crash_logged.symptoms.log_delay = Law::constant(3);
  FaultKind crash_silent = kind("crash_silent", Effect::crash);
  FaultKind crash_transient = kind("crash_transient", Effect::crash);
  crash_transient.remedy = Remedy::restart;
  FaultKind host_dead = kind("host_dead", Effect::crash);
  host_dead.symptoms.heartbeat_lost = true;
  FaultKind hang = kind("hang", Effect::hang);
  FaultKind hang_transient = kind("hang_transient", Effect::hang);
  hang_transient.remedy = Remedy::restart;
  FaultKind slow = kind("slow", Effect::slow);
  slow.factor = 1.3;
  slow.heals_after = Law::constant(7200);
  FaultKind stall_short = kind("stall_short", Effect::stall);
  stall_short.heals_after = Law::constant(45);
  FaultKind stall_long = kind("stall_long", Effect::stall);
  stall_long.heals_after = Law::constant(1200);
  FaultKind corrupt = kind("corrupt", Effect::corrupt);
  FaultKind degrade = kind("degrade", Effect::degrade);
  degrade.component = ComponentKind::nic;
  degrade.factor = 4;
  degrade.heals_after = Law::constant(3600);
  FaultKind warning = kind("warning", Effect::none);
  warning.symptoms.log = PatternId{2};
  return {corrupt,        crash_logged, crash_silent, crash_transient, degrade,     hang,
          hang_transient, host_dead,    slow,         stall_long,      stall_short, warning};
}

inline void add_faults(World& world, std::vector<FaultKind> faults, double detection) {
  world.faults = std::move(faults);
  for (ProbeKind& probe : world.probes) probe.detects.assign(world.faults.size(), Probability{detection});
}

/// Every observation and order, one a line: what two runs are compared by.
inline std::string transcript(const Record& record) {
  std::ostringstream out;
  auto order = record.orders.begin();
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const Observed& seen = record.observations[i];
    out << seen.at.time_since_epoch().count() << " " << to_text(seen) << "\n";
    for (; order != record.orders.end() && order->observations <= i + 1; ++order) {
      out << "    " << order->order.id.value << " " << to_text(order->order) << "\n";
    }
  }
  return out.str();
}

}  // namespace gauntlet
