#include "real/system/shown.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace gauntlet {

std::string printable(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

std::string shown_command(const std::vector<std::string>& arguments) {
  std::ostringstream text;
  for (const std::string& each : arguments) {
    if (text.tellp() > 0) text << ' ';
    const bool plain = !each.empty() && each.find_first_of(" \t\n\"'\\") == std::string::npos;
    plain ? text << each : text << std::quoted(each);
  }
  return text.str();
}

}  // namespace gauntlet
