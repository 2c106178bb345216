// The least that meets a date: GPUs, then spares, storage bandwidth and technicians, each at its least after those before it.
#pragma once

#include "commands/plan/variants.hpp"

#include <cstdint>
#include <functional>

namespace gauntlet {

/// The least number in (fails, meets] that meets, where every larger one does.
std::int64_t least(std::int64_t fails, std::int64_t meets, const std::function<bool(std::int64_t)>& does);

struct LeastPlan {
  std::optional<Variant> enough;
  /// As many GPUs, with more spares than any run used, and storage and crew as given.
  std::optional<Variant> plenty;
  /// Where no size that was tried meets the date: the one whose asked share of runs is done first.
  std::optional<Variant> best;
};

/// The least storage bandwidth that is tried, times the given one.
inline constexpr double kLeastStorage = 1.0 / 1024;

/// All three are empty where the study was stopped.
LeastPlan least_plan(PlanVariants& variants);

/// Between the least plan (0) and plenty (`kGenerous`): spares, storage and crew grow with `step`. The crew grows to the given one; where
/// that is 0, a technician is always free, and as many as there are spares are plenty.
inline constexpr int kGenerous = 8;
Variant generous(const Variant& enough, const Variant& plenty, std::uint32_t given_crew, int step);

}  // namespace gauntlet
