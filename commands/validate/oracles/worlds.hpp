// The worlds of the oracles through the whole simulator.
#pragma once

#include "commands/validate/oracles/one_fault.hpp"
#include "commands/validate/oracles/oracle.hpp"
#include "models/world/world.hpp"
#include "policies/constants.hpp"
#include "score/figures.hpp"

#include <functional>
#include <span>

namespace gauntlet {

/// Replicas of a world through the whole simulator.
using ReadFigures = std::function<void(const Figures& figures, std::span<Fraction> out)>;
OracleSampler simulated(World world, PolicyConstants policies, ReadFigures read);

/// Work that takes so many minutes undisturbed, over the minutes that it took.
Fraction efficiency(double work_minutes, const Figures& figures);

inline constexpr double kHour = 3600;
inline Duration from_minutes(double minutes) { return from_seconds(60 * minutes); }

}  // namespace gauntlet
