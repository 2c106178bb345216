#include "cli/segments/page.hpp"

#include "cli/segments/text.hpp"
#include "real/system/shown.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kMostCells = 2000;  // of one heat map: each is an element of the page

std::string name_of(const HeatMapRow& row) { return fmt::format("rank {} on host {}", row.rank, row.host); }

/// Of a ratio: a thousandth is less than any rank repeats.
double to_thousandths(double ratio) { return std::round(1000 * ratio) / 1000; }

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

/// By rank; the slowest where there are too many for a page.
std::vector<const HeatMapRow*> shown_rows(const SegmentHeatMap& map) {
  const std::size_t most =
      std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, map.segments.size()));
  std::vector<const HeatMapRow*> rows = slowest_rows(map, most);
  std::stable_sort(rows.begin(), rows.end(), [](const HeatMapRow* a, const HeatMapRow* b) {
    return std::pair(a->rank, a->host) < std::pair(b->rank, b->host);
  });
  return rows;
}

HeatMap map_of_ranks(const SegmentHeatMap& map, const std::vector<const HeatMapRow*>& rows) {
  std::set<std::pair<const HeatMapRow*, std::size_t>> outliers;
  for (const HeatMapOutlier& each : map.outliers) outliers.emplace(&map.rows[each.row], each.segment);
  HeatMap chart{.title = "Ranks beside their peers",
                .x_title = "segment",
                .y_title = "rank",
                .x_values = map.segments,
                .y_values = {},
                .value = {.title = "time / median of its peers"},
                .cells = {},
                .at_least = std::pair(1 - kSlower, 1 + kSlower),
                .outline_title = "too slow in more than half of the steps"};
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // rank 0 on top
    chart.y_values.push_back(name_of(**row));
    for (std::size_t i = 0; i < map.segments.size(); ++i) {
      const HeatMapCell& cell = (*row)->cells[i];
      if (cell.compared == 0) continue;
      chart.cells.push_back(
          {.x_text = map.segments[i],
           .y_text = name_of(**row),
           .value = to_thousandths(cell.of_peers),
           .outlined = outliers.contains({*row, i}),
           .details = {{"mean", milliseconds(cell.mean_s)},
                       {"too slow in", fmt::format("{} of {} steps", cell.slow, cell.compared)}}});
    }
  }
  return chart;
}

struct GroupDimension {
  const char* name;
  const char* group;  // ranks that have this coordinate in common
  std::uint32_t Coordinates::*coordinate;
};
constexpr GroupDimension kGroupDimensions[] = {{"pp", "pipeline stage", &Coordinates::pp},
                                               {"dp", "data-parallel replica", &Coordinates::dp},
                                               {"cp", "context-parallel rank", &Coordinates::cp},
                                               {"tp", "tensor-parallel rank", &Coordinates::tp}};

/// The mean time of each group beside that of all ranks. Without cells where all ranks are in one group.
HeatMap map_of_groups(const SegmentHeatMap& map, const GroupDimension& dimension) {
  HeatMap chart{.title = fmt::format("Mean time by {}", dimension.group),
                .x_title = "segment",
                .y_title = dimension.name,
                .x_values = map.segments,
                .y_values = {},
                .value = {.title = "mean time / mean of all ranks"},
                .cells = {},
                .at_least = std::pair(1 - kSlower, 1 + kSlower)};
  struct Mean {
    double sum = 0;
    std::size_t count = 0;
    double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };
  std::map<std::uint32_t, std::vector<Mean>> groups;
  std::vector<Mean> all(map.segments.size());
  for (const HeatMapRow* row : rows_of(map))
    for (std::size_t i = 0; i < map.segments.size(); ++i) {
      std::vector<Mean>& group = groups[row->at.*dimension.coordinate];
      group.resize(map.segments.size());
      if (row->cells[i].steps == 0) continue;
      for (Mean* mean : {&group[i], &all[i]}) {
        mean->sum += row->cells[i].mean_s;
        ++mean->count;
      }
    }
  if (groups.size() < 2 || groups.size() * map.segments.size() > kMostCells) return chart;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    chart.y_values.push_back(fmt::format("{} {}", dimension.name, group->first));
    for (std::size_t i = 0; i < map.segments.size(); ++i)
      if (group->second[i].count > 0 && all[i].value() > 0)
        chart.cells.push_back({.x_text = map.segments[i],
                               .y_text = chart.y_values.back(),
                               .value = to_thousandths(group->second[i].value() / all[i].value()),
                               .details = {{"mean", milliseconds(group->second[i].value())},
                                           {"ranks", std::to_string(group->second[i].count)}}});
  }
  return chart;
}

}  // namespace

Page segments_page(const SegmentHeatMap& map, double slower, const std::string& command) {
  const std::string answer = segments_answer(map, slower);
  const std::size_t first_line = answer.find('\n');
  Page page{.name = "gauntlet segments " + printable(map.scenario),
            .answer = answer.substr(0, first_line),
            .lines = {fmt::format("A drill of {}, seed {}: {} of {} over {}.", printable(map.scenario),
                                  map.seed, counted(static_cast<double>(map.segments.size()), "segment"),
                                  counted(static_cast<double>(ranks_of(rows_of(map))), "rank"),
                                  counted(static_cast<double>(map.steps), "step"))},
            .command = command};
  Section ranks{.heading = "Ranks"};
  for (std::size_t begin = first_line + 1; begin < answer.size();) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    ranks.add(Paragraph{answer.substr(begin, end - begin)});
    begin = end + 1;
  }
  const std::vector<const HeatMapRow*> rows = shown_rows(map);
  if (const std::size_t all = rows_of(map).size(); rows.size() < all)
    ranks.add(Paragraph{
        fmt::format("These are the slowest {} of {} ranks, counted once on each host; `--json` has all.",
                    rows.size(), all)});
  if (HeatMap chart = map_of_ranks(map, rows); !chart.cells.empty()) ranks.add(std::move(chart));
  page.sections.push_back(std::move(ranks));
  Section groups{.heading = "Groups of ranks"};
  for (const GroupDimension& dimension : kGroupDimensions)
    if (HeatMap chart = map_of_groups(map, dimension); !chart.cells.empty()) groups.add(std::move(chart));
  page.sections.push_back(std::move(groups));
  return page;
}

}  // namespace gauntlet
