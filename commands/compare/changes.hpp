// Several settings in one text: 'checkpoint.interval=5min spares.count=4'.
#pragma once

#include "core/problem.hpp"
#include "study/point.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

struct ParsedChanges {
  Settings settings;
  std::optional<Problem> problem;  // then there are no settings
};

/// Settings apart by spaces; those within quotes, brackets and braces belong to a value. No path twice. Whether a field
/// exists shows when a point is loaded. `option`: for messages.
ParsedChanges parse_changes(std::string_view text, std::string_view option);

}  // namespace gauntlet
