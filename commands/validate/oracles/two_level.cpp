// Two levels of checkpoints: quick ones that outlive the ranks, and safe ones that outlive the host.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "policies/checkpoint/interval.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::int64_t kPeriods = 1'000;  // of a replica
constexpr PatternId kLightLine{3};

/// The period that loses the least in first order, with this many segments: sqrt(2 (n C1 + C2) / (l1/n + l2)).
double first_order_period(const TwoLevelPoint& of) {
  return std::sqrt(2 * (of.segments * of.quick + of.safe) / (of.light / of.segments + of.grave));
}

TwoLevelPoint listed_point() {
  TwoLevelPoint point{.quick = 0.1, .safe = 5, .light = 1.0 / 200, .grave = 1.0 / 2000, .segments = 22};
  point.work = first_order_period(point);
  return point;
}

/// A crash of the host, which loses what its memory holds, and one of its only GPU, which does not.
World two_level_world(const TwoLevelPoint& point) {
  World world = one_fault_world(1, Law::exponential(60 / point.grave));
  FaultKind light = world.faults[0];
  light.name = "light";
  light.component = ComponentKind::gpu;  // a host that is replaced takes its memory along
  light.life = Law::exponential(60 / point.light);
  light.remedy = Remedy::restart;
  light.symptoms.log = kLightLine;
  world.patterns.push_back("light");
  world.faults.push_back(light);
  world.job.step_time = from_minutes(point.work / point.segments);
  world.job.steps = kPeriods * point.segments;
  world.storage.mode = CheckpointMode::synchronous;
  world.storage.memory.stall = from_minutes(point.quick);
  world.storage.stall = from_minutes(point.safe);
  return world;
}

PolicyConstants two_level_policies(const TwoLevelPoint& point) {
  PolicyConstants policies = instant_policies(from_minutes(point.work));
  policies.detection.lines = {{kOracleLine, LineAction::replace}, {kLightLine, LineAction::restart}};
  policies.checkpoint.memory_interval = from_minutes(point.work / point.segments);
  policies.checkpoint.interval = point.segments * policies.checkpoint.memory_interval;
  return policies;
}

}  // namespace

std::vector<Oracle> two_level_oracles() {
  const TwoLevelPoint point = listed_point();
  const TwoLevels levels = {.quick_cost = 60 * point.quick,
                            .storage_cost = 60 * point.safe,
                            .quick_rate = point.light / 60,
                            .storage_rate = point.grave / 60};
  const TwoLevelPlan plan = {.segment = from_minutes(point.work / point.segments),
                             .segments = point.segments};
  const double all = (kPeriods - 1) * two_level_period(point) + two_level_last_period(point);
  Oracle closed_form = {
      .name = "two levels, C1 = 0.1, C2 = 5, 1/l1 = 200, 1/l2 = 2000 min, closed form",
      .conventions = "as simulated below; the policy's formula against a recursion over the segments",
      .figures = {{.what = "efficiency of 22 segments",
                   .expected = point.work / two_level_period(point),
                   .source = "commands/validate/oracles/closed_forms.hpp",
                   .bound = {PolicyJudge::relative, 1e-9}},
                  {.what = "segments of the optimum",
                   .expected = 22,
                   .source = "sqrt(l1 C2 / (l2 C1)) = 22.4 in first order",
                   .bound = {PolicyJudge::absolute, 0}}},
      .sampler =
          [=] {
            return [=](Seed, std::span<Fraction> out) {
              out[0] = {.numerator = two_level_efficiency(levels, plan)};
              out[1] = {.numerator =
                            static_cast<double>(two_level_optimum(levels, std::chrono::seconds(1)).segments)};
            };
          },
  };
  Oracle in_simulation = {
      .name = "two levels, C1 = 0.1, C2 = 5, 1/l1 = 200, 1/l2 = 2000 min",
      .conventions = fmt::format(
          "clock training, which free restarts make that of always; {} segments a period of {:.1f} "
          "min, the last closed by the level-2 write alone; restarts and repairs take no time",
          point.segments, point.work),
      .figures =
          {{.what = "efficiency",
            .expected = kPeriods * point.work / all,
            .source =
                "the mean time of a period, by its segments (commands/validate/oracles/closed_forms.hpp)",
            .published = 0.9006}},
      .few = 60,
      .many = 2000,
      .sampler =
          [=] {
            return simulated(two_level_world(point), two_level_policies(point),
                             [=](const Figures& figures, std::span<Fraction> out) {
                               out[0] = efficiency(kPeriods * point.work, figures);
                             });
          },
  };
  return {std::move(closed_form), std::move(in_simulation)};
}

}  // namespace gauntlet
