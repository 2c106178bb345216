// Text of options, files and messages.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace gauntlet {

/// `text` without the blanks around it.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// `"text"`, as messages show what somebody wrote.
inline std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace gauntlet
