#include "report/style.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string styled(Colour colour, Style style, std::string_view text) {
  if (colour == Colour::never) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", style == Style::bold ? "1" : "36", text);
}

std::string headline(const ReportOptions& options, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return styled(options.colour, Style::bold, text) + "\n";
}

std::string heading(const ReportOptions& options, std::string_view text) {
  return "\n" + styled(options.colour, Style::heading, text) + "\n";
}

}  // namespace gauntlet
