// The answer of a comparison in one sentence, and what makes the difference.
#pragma once

#include "commands/compare/result.hpp"
#include "report/units.hpp"

#include <string>

namespace gauntlet {

/// "A", "B", ... of a scenario by its number; beyond Z a number.
std::string scenario_letter(std::size_t number);

/// Whether the 95% interval excludes zero; where too few replicas give none, whether there is a difference at all.
bool distinguishable(const PairedDifference& of);

/// "9.2 h +- 0.3", of the size alone: the sign is told in words.
std::string size_text(const PairedDifference& of, const Unit& unit);

/// "B (interval = 60min) loses 9.2 h +- 0.3 more than A (base) in 54 days: 7.8 h of it in hang, undetected; ..."
std::string answer_line(const CompareResult& result, const Comparison& comparison);

/// What a planner asks next: the work done, and the cost where it differs. Empty where both are the same.
std::string consequence(const CompareResult& result, const Comparison& comparison);

}  // namespace gauntlet
