// Where in a line of a trace stands what.
#pragma once

#include "commands/trace/records/format.hpp"
#include "core/problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet::detail {

struct TraceColumns {
  TraceFormat format = TraceFormat::csv;
  std::size_t count = 0;
  std::size_t start = 0, end = 0, node = 0;
  std::optional<std::size_t> system, nodes, down_time, cause;      // `cause`: its name is in the field ...
  std::vector<std::pair<std::size_t, std::string>> cause_columns;  // ... or it is the column that is filled
  std::vector<std::string> unread;                                 // that the format does not know
};

/// From the first line of a file; nothing after adding to `problems`.
std::optional<TraceColumns> find_columns(const std::vector<std::string>& header, TraceFormat format,
                                         const std::string& file, std::uint32_t line,
                                         std::vector<Problem>& problems);

}  // namespace gauntlet::detail
