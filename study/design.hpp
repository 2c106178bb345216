// Which points of a study there are: every combination of values, or a Latin hypercube.
#pragma once

#include "study/point.hpp"
#include "study/vary.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// How many combinations the axes have; nothing where they are more than kMostPoints.
std::optional<std::uint32_t> grid_size(std::span<const Axis> axes);

/// Every combination; the last axis changes fastest.
std::vector<Settings> grid(std::span<const Axis> axes);

/// `count` points of which each axis alone has one in every `count`-th of its range (McKay, Beckman, Conover,
/// Technometrics 21(2), 1979, https://doi.org/10.1080/00401706.1979.10489755); of a list, values by turns. Points that
/// rounding makes the same come once. A function of its arguments.
std::vector<Settings> latin_hypercube(std::span<const Axis> axes, std::uint32_t count, std::uint64_t seed);

}  // namespace gauntlet
