// Emphasis in reports: escape codes of a terminal, where a report has colours.
#pragma once

#include "report/report_options.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

enum class Style { bold, heading };

std::string styled(Colour colour, Style style, std::string_view text);

/// The answer at the top of a report. `text` may have several lines.
std::string headline(const ReportOptions& options, std::string_view text);
/// The heading of a section, after an empty line.
std::string heading(const ReportOptions& options, std::string_view text);

}  // namespace gauntlet
