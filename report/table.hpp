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

/// A cell with a bar, "      ####|######": from `low` to `high` around zero, `widest` being ten characters.
std::string bar_text(double low, double high, double widest);

}  // namespace gauntlet
