// gauntlet segments: which ranks of a drill took longer than their peers, and in which part of a step.
#include "cli/commands.hpp"
#include "real/system/shown.hpp"
#include "real/telemetry/heat_map.hpp"
#include "report/table.hpp"
#include "shell/exit_code.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "study/summary/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kMostRows = 32, kMostSegments = 8;  // of the table for people
constexpr std::uint64_t kMostSteps = 1'000'000'000'000;

struct SegmentsRequest {
  std::string file;
  std::optional<std::uint64_t> first_step, last_step;
  double slower = kSlower;
  bool json = false;
};

double slowest_of(const HeatMapRow& row) {
  double slowest = 0;
  for (const HeatMapCell& cell : row.cells) slowest = std::max(slowest, cell.of_peers);
  return slowest;
}

bool has_times(const HeatMapRow& row) {
  return std::ranges::any_of(row.cells, [](const HeatMapCell& cell) { return cell.steps > 0; });
}

/// In its best known segment.
std::uint32_t most_compared(const HeatMapRow& row) {
  std::uint32_t most = 0;
  for (const HeatMapCell& cell : row.cells) most = std::max(most, cell.compared);
  return most;
}

/// Without what a start has that reported nothing.
std::vector<const HeatMapRow*> rows_of(const SegmentHeatMap& map) {
  std::vector<const HeatMapRow*> rows;
  for (const HeatMapRow& row : map.rows)
    if (has_times(row)) rows.push_back(&row);
  return rows;
}

std::size_t ranks_of(const std::vector<const HeatMapRow*>& rows) {
  std::set<std::uint32_t> ranks;
  for (const HeatMapRow* row : rows) ranks.insert(row->rank);
  return ranks.size();
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Those that nobody could judge; empty where all were judged.
std::string unjudged_of(const std::vector<const HeatMapRow*>& rows) {
  const auto unjudged = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const HeatMapRow* row) { return most_compared(*row) < kLeastSteps; }));
  if (unjudged == 0) return "";
  return fmt::format(
      "{} of {} ranks, counted once on each host, have fewer than {} compared steps and are not judged.\n",
      unjudged, rows.size(), kLeastSteps);
}

/// The first lines: who is slow, or why nobody is named.
std::string answer_of(const SegmentHeatMap& map, double slower) {
  const std::vector<const HeatMapRow*> rows = rows_of(map);
  if (rows.empty()) return "No segment was stored for these steps.\n";
  std::uint32_t most = 0;
  for (const HeatMapRow* row : rows) most = std::max(most, most_compared(*row));
  if (most == 0)
    return "No rank has peers: no other rank of its pipeline stage reported the same segment in the same "
           "step.\n";
  if (most < kLeastSteps)
    return fmt::format(
        "No rank is named: a rank needs {} compared steps, and at most {} could be compared.\n", kLeastSteps,
        most);
  const std::string longer = fmt::format("{:g}% longer than the median of its peers", 100 * slower);
  if (map.outliers.empty())
    return fmt::format("No rank took {} in more than half of its steps.\n", longer) + unjudged_of(rows) +
           "Was one slow lately? --first-step leaves out the steps before.\n";
  std::string text;
  for (std::size_t i = 0; i < map.outliers.size() && i < kMostRows; ++i) {
    const HeatMapRow& row = map.rows[map.outliers[i].row];
    const HeatMapCell& cell = row.cells[map.outliers[i].segment];
    text += fmt::format(
        "Rank {} on host {} is slow in {}: {:.2f} times its peers, too slow in {} of {} steps\n", row.rank,
        row.host, printable(map.segments[map.outliers[i].segment]), cell.of_peers, cell.slow, cell.compared);
  }
  if (map.outliers.size() > kMostRows)
    text += fmt::format("and {} more: --json has all\n", map.outliers.size() - kMostRows);
  return text + fmt::format("Too slow is {}.\n", longer) + unjudged_of(rows);
}

/// The rows that people are shown: all, or the slowest.
std::vector<const HeatMapRow*> shown_rows(const SegmentHeatMap& map) {
  std::vector<const HeatMapRow*> rows = rows_of(map);
  if (rows.size() <= kMostRows) return rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const HeatMapRow* a, const HeatMapRow* b) { return slowest_of(*a) > slowest_of(*b); });
  rows.resize(kMostRows);
  return rows;
}

/// The segments that people are shown: those in which a rank is slow, then others by name.
std::vector<std::size_t> shown_segments(const SegmentHeatMap& map) {
  std::vector<std::size_t> shown;
  const auto show = [&](std::size_t segment) {
    if (shown.size() < kMostSegments && std::ranges::find(shown, segment) == shown.end())
      shown.push_back(segment);
  };
  for (const HeatMapOutlier& each : map.outliers) show(each.segment);
  for (std::size_t i = 0; i < map.segments.size(); ++i) show(i);
  std::ranges::sort(shown);
  return shown;
}

std::string heat_map_text(const SegmentHeatMap& map, double slower) {
  std::string text = answer_of(map, slower);
  const std::vector<const HeatMapRow*> all = rows_of(map);
  if (all.empty()) return text;
  const std::vector<std::size_t> segments = shown_segments(map);
  text += fmt::format(
      "\n{} of {} over {}. Mean in ms; then how many times the peers' median, by the median step.\n",
      counted(map.segments.size(), "segment"), counted(ranks_of(all), "rank"), counted(map.steps, "step"));
  TextTable table;
  table.header = {"rank", "host", "pp", "dp", "cp", "tp"};
  for (const std::size_t segment : segments) {
    table.header.push_back(printable(map.segments[segment]));
    table.header.emplace_back("of peers");
  }
  for (const HeatMapRow* row : shown_rows(map)) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const std::uint32_t value : {row->rank, row->host, row->at.pp, row->at.dp, row->at.cp, row->at.tp})
      cells.push_back(std::to_string(value));
    for (const std::size_t segment : segments) {
      const HeatMapCell& cell = row->cells[segment];
      cells.push_back(cell.steps == 0 ? "-" : fmt::format("{:.3f}", 1e3 * cell.mean_s));
      cells.push_back(cell.compared == 0 ? "-" : fmt::format("{:.2f}", cell.of_peers));
    }
  }
  text += to_text(table);
  if (all.size() > kMostRows)
    text += fmt::format("These are the slowest {} of {} ranks, counted once on each host: --json has all.\n",
                        kMostRows, all.size());
  if (map.segments.size() > segments.size())
    text +=
        fmt::format("These are {} of {} segments: --json has all.\n", segments.size(), map.segments.size());
  return text;
}

Json json_of(const SegmentHeatMap& map, const HeatMapCell& cell, std::size_t segment) {
  return {{"segment", map.segments[segment]},
          {"mean_s", cell.mean_s},
          {"steps", cell.steps},
          {"of_peers", cell.compared == 0 ? Json() : Json(cell.of_peers)},
          {"compared_steps", cell.compared},
          {"slow_steps", cell.slow}};
}

std::string json_of(const SegmentHeatMap& map, double slower) {
  Json ranks = Json::array(), outliers = Json::array();
  for (const HeatMapRow* shown : rows_of(map)) {
    const HeatMapRow& row = *shown;
    Json segments = Json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].steps > 0) segments.push_back(json_of(map, row.cells[i], i));
    ranks.push_back({{"rank", row.rank},
                     {"host", row.host},
                     {"pp", row.at.pp},
                     {"dp", row.at.dp},
                     {"cp", row.at.cp},
                     {"tp", row.at.tp},
                     {"segments", std::move(segments)}});
  }
  for (const HeatMapOutlier& each : map.outliers) {
    const HeatMapRow& row = map.rows[each.row];
    Json outlier = {{"rank", row.rank}, {"host", row.host}};
    outlier.update(json_of(map, row.cells[each.segment], each.segment));
    outliers.push_back(std::move(outlier));
  }
  return document({{"scenario", map.scenario},
                   {"seed", map.seed},
                   {"steps", map.steps},
                   {"slower", slower},
                   {"outliers", std::move(outliers)},
                   {"ranks", std::move(ranks)}});
}

int segments(const SegmentsRequest& request) {
  if (request.first_step && request.last_step && *request.first_step > *request.last_step)
    return wrong_input(Problem{.what = fmt::format("--first-step {}", *request.first_step),
                               .why = fmt::format("is after --last-step {}", *request.last_step),
                               .suggestion = "swap them"});
  const auto step_of = [](const std::optional<std::uint64_t>& step) {
    return step ? std::optional(static_cast<std::int64_t>(*step)) : std::nullopt;
  };
  const ReadHeatMap read = read_heat_map(request.file, {.first_step = step_of(request.first_step),
                                                        .last_step = step_of(request.last_step),
                                                        .slower = request.slower});
  if (read.problem) return wrong_input(*read.problem);
  return print(request.json ? json_of(read.map, request.slower) : heat_map_text(read.map, request.slower))
             ? kSuccess
             : kFailed;
}

}  // namespace

void add_segments(Program& program) {
  const auto request = std::make_shared<SegmentsRequest>();
  Command command = program.command(
      "segments", "Name the ranks of a drill that are slower than their peers, and in which segment",
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --segments segments.sqlite\n"
      "  gauntlet segments segments.sqlite\n"
      "  gauntlet segments segments.sqlite --first-step 20 --json");
  command.value("file", request->file, "File of `gauntlet drill --segments`, also while the drill runs")
      .type_name("FILE")
      .required();
  command.value("--first-step", request->first_step, "Leave out the steps before")
      .type_name("N")
      .between(std::uint64_t{0}, kMostSteps);
  command.value("--last-step", request->last_step, "Leave out the steps after")
      .type_name("N")
      .between(std::uint64_t{0}, kMostSteps);
  command
      .value("--slower", request->slower,
             "A rank is slow in a step when it takes longer than its peers by more than this share")
      .type_name("SHARE")
      .shows_default()
      .between(0.0, 1000.0);
  add_json(command, request->json);
  command.runs([request] { return segments(*request); });
}

}  // namespace gauntlet
