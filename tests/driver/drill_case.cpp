#include "tests/driver/drill_case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// The shipped one, with other policies; each is read once.
const Scenario& with_policies(const std::string& recover, const std::string& diagnose,
                              const std::string& checkpoint) {
  static std::map<std::array<std::string, 3>, Scenario> known;
  const auto found = known.find({recover, diagnose, checkpoint});
  if (found != known.end()) return found->second;
  const std::string sets[] = {"policies.recover=\"" + recover + "\"",
                              "policies.diagnose=\"" + diagnose + "\"",
                              "policies.checkpoint=\"" + checkpoint + "\""};
  LoadedScenario loaded = load_scenario("drill-tiny", sets);
  if (!loaded.scenario) throw std::runtime_error(loaded.problems.front().text());
  return known.emplace(std::array{recover, diagnose, checkpoint}, std::move(*loaded.scenario)).first->second;
}

template <std::size_t N>
const char* one_of(Dice& dice, const std::array<const char*, N>& names) {
  return names[dice.below(N)];
}

void draw_job(Dice& dice, World& world) {
  Inventory& inventory = world.inventory;
  inventory.gpus_per_host = dice.between(1, 2);
  inventory.layout = {.tp = 1, .pp = dice.between(1, 2), .dp = dice.between(1, 3) * inventory.gpus_per_host};
  inventory.job_hosts = inventory.layout.ranks() / inventory.gpus_per_host;
  inventory.spares = dice.between(0, 2);
  world.job.layout = inventory.layout;
  world.job.global_batch = 12;  // of any number of replicas that it may have
  world.job.steps = dice.between(20, 60);
  world.job.step_time = dice.between(500ms, 2s);
  if (dice.chance(0.15)) world.job.give_up_after = dice.between(3min, 10min);
  if (dice.chance(0.15)) world.job.window = dice.between(30s, 5min);
}

void draw_world(Dice& dice, World& world) {
  world.telemetry.heartbeat_period = dice.between(500ms, 5s);
  world.repair.time = Law::constant(to_seconds(dice.skewed(1s, 5min)));
  if (dice.chance(0.3)) world.repair.burn_in = dice.skewed(1s, 1min);
  world.people.response = Law::constant(to_seconds(dice.skewed(1s, 2min)));
  world.drill.lease = dice.skewed(2s, 2min);
}

void draw_policies(Dice& dice, const World& world, PolicyConstants& policies) {
  DetectionConstants& detection = policies.detection;
  detection.heartbeat_timeout = 3 * world.telemetry.heartbeat_period + dice.skewed(1s, 20s);
  detection.hang_timeout = 3 * world.job.step_time + dice.skewed(1s, 20s);
  detection.collective_timeout = 5 * world.job.step_time + dice.skewed(1s, 40s);
  policies.checkpoint.interval = dice.between(2s, 20s);
  policies.recovery.restarts_in_place = dice.between(0, 3);
  policies.recovery.relapse_window = dice.skewed(1s, 1min);
  if (dice.chance(0.2)) {
    policies.names.retire = "threshold";
    policies.retirement = {.evictions = dice.between(1, 3), .window = dice.skewed(1min, 2h)};
  }
  if (dice.chance(0.2)) policies.recovery.start_attempts = dice.between(1, 4);
  if (dice.chance(0.2)) policies.recovery.start_backoff = dice.skewed(1s, 1min);
  if (dice.chance(0.2)) policies.recovery.retention = dice.skewed(1s, 2min);
  if (dice.chance(0.2)) policies.recovery.start_deadline = dice.skewed(10s, 5min);
  if (dice.chance(0.2)) policies.recovery.reschedule = false;
  const std::uint32_t unit = replicas_in_whole_hosts(world.job.layout, world.inventory.gpus_per_host);
  const std::uint32_t units = world.job.layout.dp / unit;
  if (units > 1 && dice.chance(0.6)) {
    policies.recovery.wait_for_spare = dice.chance(0.2) ? Duration(0) : dice.skewed(1s, 2min);
    policies.recovery.least_replicas = unit * dice.between(1, units - 1);
  }
}

/// What a repair alone removes, and requests to stop.
void draw_faults(Dice& dice, World& world) {
  for (FaultKind& kind : world.faults) {
    if (dice.chance(0.3)) kind.remedy = Remedy::repair;
  }
  if (dice.chance(0.2)) {
    FaultKind request{.name = "requested", .component = ComponentKind::job};
    request.effect = dice.chance(0.5) ? Effect::preempt : Effect::planned;
    request.heals_after = Law::constant(0);  // the plan says how long
    world.faults.push_back(request);
    for (ProbeKind& probe : world.probes) probe.detects.emplace_back();
  }
  if (dice.chance(0.2)) world.job.planned_stops = {{kStart + dice.skewed(1s, 2min), dice.skewed(1s, 1min)}};
}

FaultPlan draw_plan_of(Dice& dice, const World& world) {
  FaultPlan plan;
  const auto request = std::find_if(world.faults.begin(), world.faults.end(),
                                    [](const FaultKind& kind) { return is_stop_request(kind.effect); });
  const auto kinds = static_cast<std::uint32_t>(request - world.faults.begin());  // that strike ranks
  const std::uint32_t faults = dice.chance(0.1) ? 0 : dice.between(1, 6);
  for (std::uint32_t i = 0; i < faults; ++i) {
    const auto gpus = world.inventory.hosts() * world.inventory.gpus_per_host;
    plan.push_back({.at = kStart + dice.between(0s, 2 * world.job.steps * world.job.step_time),
                    .kind = FaultKindId{static_cast<std::uint32_t>(dice.below(kinds))},
                    .component = {ComponentKind::gpu, static_cast<std::uint32_t>(dice.below(gpus))},
                    .repair = dice.skewed(1s, 5min)});
  }
  if (request != world.faults.end()) {
    for (std::uint32_t i = dice.between(1, 3); i > 0; --i)
      plan.push_back({.at = kStart + dice.between(0s, 2 * world.job.steps * world.job.step_time),
                      .kind = FaultKindId{kinds},
                      .component = {ComponentKind::job, 0},
                      .lasts = dice.skewed(1s, 1min)});
  }
  std::sort(plan.begin(), plan.end(),
            [](const PlannedFault& a, const PlannedFault& b) { return a.at < b.at; });
  return plan;
}

}  // namespace

DrillCase case_of(std::uint64_t seed) {
  Dice dice(seed, "case");
  DrillCase out{.scenario = with_policies(
                    one_of(dice, std::array{"replace", "replace", "restart-in-place", "restart", "person"}),
                    one_of(dice, std::array{"suite", "suite", "person", "evidence"}),
                    one_of(dice, std::array{"fixed", "young", "daly"})),
                .plan = {},
                .disturbances = disturbances_of(seed),
                .rough_for = dice.between(20s, 4min)};
  World& world = out.scenario.world;
  draw_job(dice, world);
  draw_world(dice, world);
  draw_policies(dice, world, out.scenario.policies);
  draw_faults(dice, world);
  // A job whose hosts were retired waits for ever. One that is started again and again on a broken host, by policies that take each
  // stop for a new incident, never ends either.
  const bool breaks = std::any_of(world.faults.begin(), world.faults.end(), [](const FaultKind& kind) {
    return kind.remedy == Remedy::repair && !is_stop_request(kind.effect);
  });
  if (breaks || out.scenario.policies.names.retire != "never")
    world.job.give_up_after = dice.between(3min, 10min);
  out.plan = draw_plan_of(dice, world);
  return out;
}

}  // namespace gauntlet
