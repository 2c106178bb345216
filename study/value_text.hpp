// Texts with values in them: blanks, quotes and lists as TOML has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A string without the quotes that TOML or a careful user put around it.
std::string unquoted(std::string text);

/// The parts between separators outside quotes and brackets, trimmed; one at least.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace gauntlet
