// Small worlds for the oracles and for tests: one fault kind, no noise, and a step time that is given.
#pragma once

#include "models/world/world.hpp"
#include "policies/constants.hpp"

#include <cstdint>
#include <utility>

namespace gauntlet {

/// The log line of the first fault of these worlds.
inline constexpr PatternId kOracleLine{2};

/// One exponential, or other, host fault that crashes the job, is seen at once and costs one repair. Storage is free.
inline World one_fault_world(std::uint32_t hosts, Law life) {
  World world;
  world.name = "one-fault";
  world.hardware.gpus_per_host = 1;
  world.hardware.nics_per_host = 1;
  world.inventory = {
      .job_hosts = hosts, .spares = 0, .gpus_per_host = 1, .hosts_per_tor = 1, .layout = {.dp = hosts}};
  world.job.layout = world.inventory.layout;
  world.job.global_batch = hosts;
  world.storage.free = true;
  world.telemetry.heartbeat_period = std::chrono::seconds(10);
  world.patterns = {"collective_timeout", "peer_lost", "fault"};
  FaultKind fault;
  fault.name = "fault";
  fault.life = std::move(life);
  fault.effect = Effect::crash;
  fault.remedy = Remedy::repair;
  fault.symptoms.log = kOracleLine;
  world.faults = {fault};
  return world;
}

/// Believes the log line at once; replaces the host without any probe.
inline PolicyConstants instant_policies(Duration checkpoint_interval) {
  PolicyConstants policies;
  policies.names = {.detect = {"log"},
                    .diagnose = "suite",
                    .checkpoint = "fixed",
                    .restore = "one-reader",
                    .recover = "replace",
                    .retire = "never"};
  policies.detection.lines = {{kOracleLine}};
  policies.detection.heartbeat_timeout = std::chrono::minutes(1);
  policies.detection.hang_timeout = std::chrono::hours(10);
  policies.detection.collective_timeout = std::chrono::hours(10);
  policies.checkpoint.interval = checkpoint_interval;
  policies.checkpoint.shortest = {};      // an interval of any length is ordered
  policies.recovery.relapse_window = {};  // each stop is an incident of its own
  return policies;
}

}  // namespace gauntlet
