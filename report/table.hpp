// A table of text: columns as wide as they need, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>>
      rows;  // as long as the header; those that look like numbers stand to the right
};

/// Lines of at most what the columns need, each ending in a newline; empty without rows. Widths count code points.
std::string to_text(const TextTable& table);

}  // namespace gauntlet
