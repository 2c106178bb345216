// The last sections of every page: what was assumed, with its sources, and the report as text.
#pragma once

#include "config/toml/value.hpp"
#include "report/page/page.hpp"

#include <string>

namespace gauntlet {

/// Each value that the scenario and the files that it builds on state, where it is written and the source that is given for it there; then
/// the whole scenario as `show` gives it, with its defaults. `resolved`: the scenario as a tree; `shown`: as text.
Section assumptions_section(const Value& resolved, const std::string& shown);

/// The report as text, folded.
Section text_section(const std::string& report);

}  // namespace gauntlet
