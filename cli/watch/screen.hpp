// A screen of a terminal that is drawn anew: lines that fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct ScreenSize {
  std::size_t columns = 80, rows = 24;  // of a terminal that does not say
};

/// Of standard output.
ScreenSize screen_size();

/// The first `columns` code points of a line of UTF-8; the last one is "…" where more follow.
std::string fitted(std::string_view line, std::size_t columns);

/// Lines of text, each cut to the columns, and no more than the rows. A terminal obeys nothing in them.
std::string fitted_lines(const std::vector<std::string>& lines, ScreenSize size);

/// "[#####.....]" of that many characters, for a share of 0 to 1.
std::string progress_bar(double share, std::size_t characters);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace gauntlet
