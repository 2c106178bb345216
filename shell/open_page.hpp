// A page that was written, in the browser of whoever asked for it.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// Hands the file to xdg-open (https://www.freedesktop.org/wiki/Software/xdg-utils/), which knows the user's browser, and waits
/// until that has taken it. No shell reads the name.
std::optional<Problem> open_page(const std::string& path);

}  // namespace gauntlet
