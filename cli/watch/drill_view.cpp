#include "cli/watch/drill_view.hpp"

#include "real/control/control_client.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/event_sentences.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kFewestEvents = 6;
constexpr std::size_t kEndOfLog = std::size_t{1} << 16;  // bytes, and so many of its beginning
constexpr std::size_t kBar = 40;
constexpr std::size_t kState = 1, kAgent = 3, kShownColumns = 6;  // of the table of hosts; addresses are long

/// "step 52 of 100" as a bar.
std::string bar_of(const std::string& step) {
  double done = 0, all = 0;
  const std::size_t of = step.find(" of ");
  if (of == std::string::npos) return "";
  std::from_chars(step.data(), step.data() + of, done);
  std::from_chars(step.data() + of + 4, step.data() + step.size(), all);
  return all > 0 ? progress_bar(done / all, kBar) : "";
}

std::vector<std::string> status_lines(const OperatorReply& reply) {
  std::vector<std::string> lines;
  for (const auto& row : reply.rows) {
    lines.push_back(fmt::format("{:<18} {}", row.at(0), row.at(1)));
    if (row[0] == "step") lines.back() += "  " + bar_of(row[1]);
  }
  return lines;
}

bool is_healthy(const std::vector<std::string>& host) {
  return host.at(kState) == "in the job" && host.at(kAgent) == "attends";
}

std::vector<std::string> host_lines(OperatorReply reply, std::size_t rows) {
  if (reply.rows.size() < 2 || rows < 3) return {};
  for (auto& row : reply.rows) row.resize(std::min(row.size(), kShownColumns));
  const auto first = reply.rows.begin() + 1;
  std::stable_sort(first, reply.rows.end(),
                   [](const auto& a, const auto& b) { return !is_healthy(a) && is_healthy(b); });
  const std::size_t shown = std::min(reply.rows.size() - 1, rows - 2);
  TextTable table{.header = reply.rows.front(), .rows = {first, first + static_cast<std::ptrdiff_t>(shown)}};
  std::vector<std::string> lines = lines_of(to_text(table));
  if (const std::size_t more = reply.rows.size() - 1 - shown; more > 0)
    lines.push_back(fmt::format("  and {} more: gauntlet ctl hosts", more));
  return lines;
}

/// The last events of the log. Of a long one the beginning, where watches are ordered, and the end.
std::vector<std::string> last_events(const std::string& directory, std::size_t count) {
  std::ifstream file(drill_log(directory), std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  EventSentences events(count);
  const auto read = [&](std::size_t from, std::size_t to) {
    std::string text(to - from, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(from));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    for (const std::string& line : lines_of(text)) events.add(line);
  };
  if (size <= 2 * kEndOfLog) {
    read(0, size);
  } else {
    read(0, kEndOfLog);
    read(size - kEndOfLog, size);
  }
  std::vector<std::string> lines;
  for (const std::string& each : events.sentences()) lines.push_back("  " + each);
  return lines;
}

}  // namespace

DrillView look_at_drill(const std::string& directory, std::size_t rows) {
  DrillView view;
  OperatorReply status, hosts;
  if (auto problem = ask_driver(directory, {.verb = OperatorVerb::status}, status)) {
    view.over = !has_driver(directory);
    if (view.over)
      view.lines = {"The drill has ended."};
    else
      view.problem = std::move(problem);
    return view;
  }
  view.lines = status_lines(status);
  view.lines.emplace_back();
  const std::size_t left =
      rows > view.lines.size() + kFewestEvents ? rows - view.lines.size() - kFewestEvents : 0;
  if (!ask_driver(directory, {.verb = OperatorVerb::hosts}, hosts))
    for (std::string& line : host_lines(std::move(hosts), left)) view.lines.push_back(std::move(line));
  constexpr std::size_t kAroundEvents = 2;
  if (rows > view.lines.size() + kAroundEvents) {
    view.lines.emplace_back();
    view.lines.emplace_back("Last events");
    for (std::string& line : last_events(directory, rows - view.lines.size()))
      view.lines.push_back(std::move(line));
  }
  return view;
}

}  // namespace gauntlet
