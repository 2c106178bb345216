// What a scenario is made of: the world, the constants of the policies and the size of the study.
#pragma once

#include "models/world/world.hpp"
#include "policies/constants.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

enum class UncertainShape : std::uint8_t { lognormal, normal, uniform, log_t };

/// A field whose value is not known: it lies between `low` and `high` with 90% probability, below or above with 5% each.
struct UncertainField {
  std::string path;       // "repair.time.median"
  std::string low, high;  // as the field takes them: "4h", "0.2"; low < high
  UncertainShape shape = UncertainShape::lognormal;
  double degrees = 0;  // of freedom, of log_t alone
};

/// Of one scenario: the values of one metric fit in memory (study/statistics.hpp).
inline constexpr std::uint32_t kMostReplicas = 4'000'000;
/// More do not fit in the ids of components, spares included.
inline constexpr std::uint32_t kMostHosts = 10'000'000;
/// No price has so many digits, and sums of runs stay finite.
inline constexpr Money kMostMoney{1e9};

/// How often a study runs the scenario unless the command line says otherwise, and what it does not know for sure.
struct StudyDefaults {
  std::uint32_t replicas = 200;
  std::uint64_t seed = 1;
  std::vector<UncertainField> uncertain;
  /// Whether the error of a modelled step time is drawn with the rest (study/published/step_error.hpp).
  bool step_time_error = true;
};

struct Scenario {
  World world;
  PolicyConstants policies;
  StudyDefaults study;
};

}  // namespace gauntlet
