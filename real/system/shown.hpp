// What others wrote, as messages can show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// At most so many bytes of it, with `?` in place of what is not printable ASCII: terminals obey no escape in it, and logs have no line break.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

/// A command in one line: an argument that is empty or has blanks or quotes stands in quotes.
std::string shown_command(const std::vector<std::string>& arguments);

}  // namespace gauntlet
