// A drill that runs, as its driver and its log show it.
#pragma once

#include "cli/watch/screen.hpp"
#include "core/problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The lines of a screen. `over`: no driver listens any more.
struct DrillView {
  std::vector<std::string> lines;
  bool over = false;
  std::optional<Problem> problem;  // there are no lines
};

/// Asks the driver of the drill in that directory, and reads the end of its log. The hosts that are not healthy come first; the last
/// events fill what is left of `rows`.
DrillView look_at_drill(const std::string& directory, std::size_t rows);

}  // namespace gauntlet
