// A map of the ranks that wait in a step: every rank of the job on one page.
#pragma once

#include "commands/step/picture.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// What every map begins with.
inline constexpr std::string_view kMapBegins =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" data-what=\"gauntlet step\"";

/// One SVG without scripts: a row for each pipeline stage, a column for each data-parallel replica (for several, where
/// they are too many to see), a cell for the ranks of both. Its colour is the share of the step that its ranks wait for
/// others; where something is degraded, what they wait longer than in a healthy step. Whoever the others wait for waits
/// least, and is hottest.
std::string to_svg(const StepPictures& pictures);

}  // namespace gauntlet
