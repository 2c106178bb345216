#include "study/control_choice.hpp"

#include "core/time.hpp"
#include "models/world/blast_radius.hpp"

#include <algorithm>
#include <chrono>

namespace gauntlet {
namespace {

// Guesses (assumptions). They order controls; no result depends on them but the width of an interval.
constexpr Duration kOfAStop = std::chrono::minutes(10);
constexpr Duration kUntilFound = std::chrono::hours(6);  // what slows the job and does not heal

/// What a strike of the kind may cost, in seconds.
double cost_of(const FaultKind& kind) {
  const double lasts = kind.heals_after ? kind.heals_after->mean() : to_seconds(kUntilFound);
  switch (kind.effect) {
    case Effect::crash:
    case Effect::hang:
      return to_seconds(kOfAStop);
    case Effect::slow:
    case Effect::degrade:
      return (1 - 1 / kind.factor) * lasts;
    case Effect::stall:
    case Effect::preempt:
      return lasts;
    case Effect::planned:
      return to_seconds(kOfAStop) + lasts;
    case Effect::corrupt:
      return to_seconds(kUntilFound);
    case Effect::none:
      return 0;
  }
  return 0;
}

/// Of its components on the job; what strikes at starts does so at as many as there are stops.
double strikes_per_second(const World& world, const FaultKind& kind, double stops) {
  if (!hazard_is_known(kind)) return 0;
  const double components = component_count_of_job(world, kind.component);
  return kind.clock == FaultClock::start ? stops * kind.chance.value * components
                                         : components / kind.life.mean();
}

}  // namespace

std::vector<std::vector<std::uint32_t>> choose_controls(const World& world) {
  double stops = 0;
  for (const FaultKind& kind : world.faults)
    if (stops_job(kind.effect) && kind.clock != FaultClock::start)
      stops += strikes_per_second(world, kind, 0);
  std::vector<double> costs;
  std::vector<std::uint32_t> together, each;
  for (std::uint32_t k = 0; k < world.faults.size(); ++k) {
    const FaultKind& kind = world.faults[k];
    costs.push_back(strikes_per_second(world, kind, stops) * cost_of(kind));
    if (!(costs.back() > 0)) continue;
    each.push_back(k);
    if (stops_job(kind.effect)) together.push_back(k);
  }
  std::ranges::stable_sort(each, [&](std::uint32_t a, std::uint32_t b) { return costs[a] > costs[b]; });
  std::vector<std::vector<std::uint32_t>> controls;
  if (!together.empty()) controls.push_back(together);
  if (std::ranges::any_of(world.faults, stops_at_one_rate)) controls.emplace_back();
  // The last of the parts of a whole says nothing new.
  if (together.size() > 1 && together.size() == each.size()) each.pop_back();
  for (const std::uint32_t k : each)
    if (together.size() != 1 || together.front() != k) controls.push_back({k});
  return controls;
}

}  // namespace gauntlet
