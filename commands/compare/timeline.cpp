#include "commands/compare/timeline.hpp"

#include "core/component.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kPhaseColumns = 3;  // a column each; the other phases share one
constexpr double kNothing = 1e-6;         // seconds: sums of nanoseconds as doubles leave less
constexpr double kTooLittle = 0.02;       // of all that differs; phases with less have no column

// A row before it is text: what each side lost, in seconds by phase; nothing where it met no such incident.
using Lost = std::array<double, kPhases>;
struct Line {
  std::array<std::string, 3> what;  // when, cause, component
  std::optional<Lost> first, second;
};

Lost lost_of(const PhaseTimes& times) {
  Lost out{};
  for (std::size_t phase = 1; phase < kPhases; ++phase) out[phase] = to_seconds(times[phase]);
  return out;
}

double sum(const Lost& lost) {
  double all = 0;
  for (const double part : lost) all += part;
  return all;
}

double distance(const Line& line) {
  const Lost none{};
  const Lost &a = line.first ? *line.first : none, &b = line.second ? *line.second : none;
  double out = 0;
  for (std::size_t phase = 0; phase < kPhases; ++phase) out += std::abs(a[phase] - b[phase]);
  return out;
}

std::string when_text(Time at) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(at - kStart).count();
  return fmt::format("{}d {:02}:{:02}", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

std::string when_text(const IncidentPair& pair) {
  const std::string first = when_text((pair.first ? pair.first : pair.second)->opened);
  if (!pair.first || !pair.second) return first;
  const std::string second = when_text(pair.second->opened);
  return first == second ? first : first + " -> " + second;
}

Line line_of(const IncidentPair& pair) {
  const Incident& any = pair.first ? *pair.first : *pair.second;
  Line line{.what = {when_text(pair), pair.cause, name_of(any.component)},
            .first = std::nullopt,
            .second = std::nullopt};
  if (pair.first) line.first = lost_of(pair.first->lost);
  if (pair.second) line.second = lost_of(pair.second->lost);
  return line;
}

void add(std::optional<Lost>& to, const std::optional<Lost>& more, double sign) {
  if (!to) to = Lost{};
  for (std::size_t phase = 0; more && phase < kPhases; ++phase) (*to)[phase] += sign * (*more)[phase];
}

// The phases that have a column of their own, in their order: those in which the lines differ most.
std::vector<std::size_t> columns_of(const std::vector<Line>& lines) {
  Lost apart{};
  for (const Line& line : lines)
    for (std::size_t phase = 1; phase < kPhases; ++phase)
      apart[phase] +=
          std::abs((line.first ? (*line.first)[phase] : 0) - (line.second ? (*line.second)[phase] : 0));
  std::vector<std::size_t> phases;
  for (std::size_t phase = 1; phase < kPhases; ++phase)
    if (apart[phase] > kTooLittle * sum(apart)) phases.push_back(phase);
  std::ranges::stable_sort(phases, std::greater<>(), [&](std::size_t phase) { return apart[phase]; });
  phases.resize(std::min(phases.size(), kPhaseColumns));
  std::ranges::sort(phases);
  return phases;
}

std::string cell(std::optional<double> first, std::optional<double> second, const Unit& unit) {
  const auto text = [&](std::optional<double> value) {
    return value ? unit.number(*value) : std::string("-");
  };
  if (std::abs(first.value_or(0)) < kNothing) first = first ? std::optional(0.0) : first;
  if (std::abs(second.value_or(0)) < kNothing) second = second ? std::optional(0.0) : second;
  const std::string a = text(first), b = text(second);
  if (a == b) return first.value_or(0) == 0 && second.value_or(0) == 0 ? "" : a;
  return a + " -> " + b;
}

// Drops a column in which nothing stands.
void without_empty(TextTable& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  if (!std::ranges::all_of(table.rows, [&](const auto& row) { return row[column].empty(); })) return;
  table.header.erase(table.header.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

TextTable table_of(const std::vector<Line>& lines, const Unit& unit) {
  const std::vector<std::size_t> columns = columns_of(lines);
  TextTable table;
  table.header = {"time", "cause", "component"};
  for (const std::size_t phase : columns) table.header.emplace_back(kPhaseNames[phase]);
  table.header.insert(table.header.end(), {"other phases", "all, " + unit.name});
  for (const Line& line : lines) {
    std::vector<std::string> row(line.what.begin(), line.what.end());
    std::optional<double> first, second;  // the other phases
    if (line.first) first = sum(*line.first);
    if (line.second) second = sum(*line.second);
    const std::string all = cell(first, second, unit);
    for (const std::size_t phase : columns) {
      std::optional<double> a, b;
      if (line.first) *first -= *(a = (*line.first)[phase]);
      if (line.second) *second -= *(b = (*line.second)[phase]);
      row.push_back(cell(a, b, unit));
    }
    row.push_back(cell(first, second, unit));
    row.push_back(all);
    table.rows.push_back(std::move(row));
  }
  without_empty(table, table.header.size() - 2);
  return table;
}

// The incidents that differ most, again by time; what the others lost goes to `rest`.
std::vector<Line> most_different(const std::vector<IncidentPair>& incidents, Line& rest,
                                 std::size_t& left_out) {
  std::vector<Line> lines;
  for (const IncidentPair& pair : incidents) lines.push_back(line_of(pair));
  std::vector<double> distances;
  for (const Line& line : lines) distances.push_back(distance(line));
  std::ranges::stable_sort(distances, std::greater<>());
  const double least = distances.size() > kTimelineRows ? distances[kTimelineRows] : 0;  // the first left out
  std::vector<Line> kept;
  for (Line& line : lines) {
    if (distance(line) > std::max(least, kTooLittle * distances.front())) {
      kept.push_back(std::move(line));
      continue;
    }
    ++left_out;
    add(rest.first, line.first, 1);
    add(rest.second, line.second, 1);
  }
  return kept;
}

}  // namespace

std::string timeline(const ShownReplica& shown, const std::string& first, const std::string& second) {
  Line rest, outside,
      whole{.what = {"whole run", "", ""},
            .first = lost_of(shown.first.phases),
            .second = lost_of(shown.second.phases)};
  std::size_t left_out = 0;
  std::vector<Line> lines = most_different(shown.incidents, rest, left_out);
  rest.what = {fmt::format("{} more", left_out), "incidents", ""};
  outside = {.what = {"outside", "of incidents", ""}, .first = whole.first, .second = whole.second};
  for (const IncidentPair& pair : shown.incidents) {
    const Line line = line_of(pair);
    add(outside.first, line.first, -1);
    add(outside.second, line.second, -1);
  }
  double largest = 0;
  for (const Line& line : lines) largest = std::max(largest, distance(line));
  Unit unit = time_unit(largest > 0 ? largest : sum(*whole.first));
  if (unit.name == "h" || unit.name == "days") unit = {.divisor = 3600, .name = "h", .decimals = 2};
  if (left_out > 0) lines.push_back(rest);
  lines.push_back(outside);
  lines.push_back(whole);
  return fmt::format("Lost time by incident, {}, {} -> {}\n", unit.name, first, second) +
         to_text(table_of(lines, unit)) +
         "  One number: equal in both. -: not struck, or still recovering from an earlier incident.\n";
}

}  // namespace gauntlet
