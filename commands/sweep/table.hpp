// The table of a sweep's points, and the words for what makes one the best.
#pragma once

#include "commands/sweep/result.hpp"
#include "report/units.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gauntlet {

/// "ETTR", "cost per effective GPU-hour"
std::string objective_name(const SweepResult& result);
/// How the objective is shown, with enough digits for the half-width of the best point's interval.
Unit objective_unit(const SweepResult& result);
/// "90.90% +- 0.05%"; without an interval the mean alone.
std::string value_text(const Statistics& of, const Unit& unit);

/// The points as they are listed: of a grid in its order, of a Latin hypercube the best first.
std::vector<std::size_t> listed_points(const SweepResult& result);

/// A line for each of the points, the most telling ones where they are very many: settings, replicas, the objective, how
/// far it is behind the best, and the losses that weigh most, as shares of the wall time.
std::string points_table(const SweepResult& result);

}  // namespace gauntlet
