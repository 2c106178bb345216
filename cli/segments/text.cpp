#include "cli/segments/text.hpp"

#include "real/system/shown.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gauntlet {
namespace {

constexpr std::size_t kMostRows = 32, kMostSegments = 8;  // of the table for people

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

/// Those that nobody could judge; empty where all were judged.
std::string unjudged_of(const std::vector<const HeatMapRow*>& rows) {
  const auto unjudged = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const HeatMapRow* row) { return most_compared(*row) < kLeastSteps; }));
  if (unjudged == 0) return "";
  return fmt::format(
      "{} of {} ranks, counted once on each host, have fewer than {} compared steps and are not judged.\n",
      unjudged, rows.size(), kLeastSteps);
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

}  // namespace

std::size_t ranks_of(const std::vector<const HeatMapRow*>& rows) {
  std::set<std::uint32_t> ranks;
  for (const HeatMapRow* row : rows) ranks.insert(row->rank);
  return ranks.size();
}

std::vector<const HeatMapRow*> rows_of(const SegmentHeatMap& map) {
  std::vector<const HeatMapRow*> rows;
  for (const HeatMapRow& row : map.rows)
    if (has_times(row)) rows.push_back(&row);
  return rows;
}

std::vector<const HeatMapRow*> slowest_rows(const SegmentHeatMap& map, std::size_t most) {
  std::vector<const HeatMapRow*> rows = rows_of(map);
  if (rows.size() <= most) return rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const HeatMapRow* a, const HeatMapRow* b) { return slowest_of(*a) > slowest_of(*b); });
  rows.resize(most);
  return rows;
}

std::string segments_answer(const SegmentHeatMap& map, double slower) {
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
           "To look at recent steps only, give --first-step N.\n";
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

std::string segments_text(const SegmentHeatMap& map, double slower) {
  std::string text = segments_answer(map, slower);
  const std::vector<const HeatMapRow*> all = rows_of(map);
  if (all.empty()) return text;
  const std::vector<std::size_t> segments = shown_segments(map);
  text += fmt::format(
      "\n{} of {} over {}. Mean in ms; of peers: time / median of the peers, the median over the steps.\n",
      counted(static_cast<double>(map.segments.size()), "segment"),
      counted(static_cast<double>(ranks_of(all)), "rank"), counted(static_cast<double>(map.steps), "step"));
  TextTable table;
  table.header = {"rank", "host", "pp", "dp", "cp", "tp"};
  for (const std::size_t segment : segments) {
    table.header.push_back(printable(map.segments[segment]));
    table.header.emplace_back("of peers");
  }
  for (const HeatMapRow* row : slowest_rows(map, kMostRows)) {
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

}  // namespace gauntlet
