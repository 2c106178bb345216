// Words that reports share.
#pragma once

#include "report/units.hpp"
#include "study/summary/summary.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Lines of 100 columns at most, but for longer words; each ends in a newline.
std::string wrapped(std::string text);

/// "1 point", "1,200 points"
std::string counted(double count, std::string_view what);

/// "+9.2", "-9.2", "0.0"
std::string signed_number(const Unit& unit, double value);

/// What an interval does not cover, where faults are replayed from a trace, without a full stop; empty where none is.
std::string replay_caveat(const ScenarioFacts& facts);

/// The same as a sentence of a report.
std::string replay_warning(const ScenarioFacts& facts);

/// Zero without an interval.
double half_width(const std::optional<Interval>& of);

}  // namespace gauntlet
