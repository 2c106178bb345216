#include "cli/watch/screen.hpp"

#include "real/control/control_client.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

constexpr std::string_view kMore = "\u2026";

/// Of UTF-8: not one that continues a code point.
bool begins_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }

}  // namespace

ScreenSize screen_size() {
  ScreenSize size;
  winsize found{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0) return size;
  if (found.ws_col > 0) size.columns = found.ws_col;
  if (found.ws_row > 0) size.rows = found.ws_row;
  return size;
}

std::string fitted(std::string_view line, std::size_t columns) {
  const auto characters =
      static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_a_character));
  if (characters <= columns || columns == 0)
    return std::string(line.substr(0, columns == 0 ? 0 : line.size()));
  std::size_t seen = 0, end = 0;
  for (; end < line.size(); ++end)
    if (begins_a_character(line[end]) && ++seen == columns) break;
  return std::string(line.substr(0, end)) + std::string(kMore);
}

std::string fitted_lines(const std::vector<std::string>& lines, ScreenSize size) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), size.rows); ++i)
    text += fitted(without_controls(lines[i]), size.columns) + "\n";
  return text;
}

std::string progress_bar(double share, std::size_t characters) {
  if (characters < 2) return "";
  const std::size_t room = characters - 2;
  const double filled = std::round(std::clamp(share, 0.0, 1.0) * static_cast<double>(room));
  const auto done = static_cast<std::size_t>(filled);
  return "[" + std::string(done, '#') + std::string(room - done, '.') + "]";
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace gauntlet
