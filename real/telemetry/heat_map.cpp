#include "real/telemetry/heat_map.hpp"

#include "core/sqlite/sqlite.hpp"
#include "real/telemetry/segment_file_private.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

struct Sample {
  std::size_t row;
  std::uint32_t stage;
  double seconds;
};

/// Of sorted values, the median of all but the one at `place`; nothing where there are no others.
std::optional<double> median_of_others(const std::vector<Sample>& sorted, std::size_t first, std::size_t last,
                                       std::size_t place) {
  const std::size_t others = last - first - 1;
  if (others == 0) return std::nullopt;
  const auto at = [&](std::size_t i) { return sorted[first + i + (first + i >= place ? 1 : 0)].seconds; };
  return others % 2 == 1 ? at(others / 2) : (at(others / 2 - 1) + at(others / 2)) / 2;
}

/// The lower of the two middle values where their number is even: it is beyond a line where more than half of the values are.
double lower_median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Takes the segments of all ranks in one step, one name at a time.
class HeatMapSums {
 public:
  HeatMapSums(SegmentHeatMap& map, double slower)
      : map_(map), slower_(slower), ratios_(map.rows.size() * map.segments.size()) {}

  void add(std::vector<Sample>& samples, std::size_t segment) {
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
      return std::tie(a.stage, a.seconds) < std::tie(b.stage, b.seconds);
    });
    for (std::size_t first = 0, last = 0; first < samples.size(); first = last) {
      while (last < samples.size() && samples[last].stage == samples[first].stage) ++last;
      for (std::size_t i = first; i < last; ++i) {
        HeatMapCell& cell = map_.rows[samples[i].row].cells[segment];
        ++cell.steps;
        cell.mean_s += samples[i].seconds;
        const auto usual = median_of_others(samples, first, last, i);
        if (!usual || *usual <= 0) continue;
        ++cell.compared;
        ratios_[samples[i].row * map_.segments.size() + segment].push_back(samples[i].seconds / *usual);
        cell.slow += samples[i].seconds > (1 + slower_) * *usual ? 1 : 0;
      }
    }
    samples.clear();
  }

  /// Makes means of the sums, and medians of the ratios.
  void end() {
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t segment = 0; segment < map_.segments.size(); ++segment) {
        HeatMapCell& cell = map_.rows[row].cells[segment];
        if (cell.steps > 0) cell.mean_s /= cell.steps;
        if (cell.compared > 0) cell.of_peers = lower_median_of(ratios_[row * map_.segments.size() + segment]);
        if (cell.compared >= kLeastSteps && 2 * cell.slow > cell.compared)
          map_.outliers.push_back({.row = row, .segment = segment});
      }
    }
    const auto of_peers = [&](const HeatMapOutlier& each) {
      return map_.rows[each.row].cells[each.segment].of_peers;
    };
    std::stable_sort(
        map_.outliers.begin(), map_.outliers.end(),
        [&](const HeatMapOutlier& a, const HeatMapOutlier& b) { return of_peers(a) > of_peers(b); });
  }

 private:
  SegmentHeatMap& map_;
  double slower_;
  std::vector<std::vector<double>> ratios_;  // to the peers, by row and segment
};

using RowOfSeat = std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>;  // by run and rank

RowOfSeat read_seats(sqlite3* database, SegmentHeatMap& map) {
  RowOfSeat by_seat;
  // A job that starts with fewer replicas gives a rank another part of the model: that is another row.
  sqlite::Statement seats(database,
                          "SELECT rank, host, pp, dp, cp, tp, run FROM seat ORDER BY 1, 2, 3, 4, 5, 6");
  while (seats.step()) {
    const HeatMapRow seat = {
        .rank = seats.count(0),
        .host = seats.count(1),
        .at = {.tp = seats.count(5), .cp = seats.count(4), .dp = seats.count(3), .pp = seats.count(2)},
        .cells = std::vector<HeatMapCell>(map.segments.size())};
    const bool known = !map.rows.empty() && map.rows.back().rank == seat.rank &&
                       map.rows.back().host == seat.host && map.rows.back().at == seat.at;
    if (!known) map.rows.push_back(seat);
    by_seat[{seats.count(6), seat.rank}] = map.rows.size() - 1;
  }
  return by_seat;
}

void read_segments(sqlite3* database, const HeatMapQuery& query, SegmentHeatMap& map) {
  const auto bounded = [&](const char* sql) {
    sqlite::Statement statement(database, sql);
    statement.bind(1, query.first_step.value_or(std::numeric_limits<std::int64_t>::min()));
    statement.bind(2, query.last_step.value_or(std::numeric_limits<std::int64_t>::max()));
    return statement;
  };
  auto names = bounded("SELECT DISTINCT name FROM segment WHERE step BETWEEN ? AND ? ORDER BY name");
  std::map<std::string, std::size_t> segment_of;
  while (names.step()) {
    segment_of.emplace(names.text(0), map.segments.size());
    map.segments.push_back(names.text(0));
  }
  auto steps =
      bounded("SELECT count(*) FROM (SELECT DISTINCT run, step FROM segment WHERE step BETWEEN ? AND ?)");
  if (steps.step()) map.steps = steps.count(0);
  const RowOfSeat row_of = read_seats(database, map);

  HeatMapSums sums(map, query.slower);
  std::vector<Sample> samples;
  std::tuple<std::uint32_t, std::int64_t, std::string> group;
  auto rows = bounded(
      "SELECT run, step, name, rank, took_ns FROM segment WHERE step BETWEEN ? AND ? ORDER BY run, step, "
      "name");
  while (rows.step()) {
    std::tuple<std::uint32_t, std::int64_t, std::string> next(rows.count(0), rows.integer(1), rows.text(2));
    if (next != group && !samples.empty()) sums.add(samples, segment_of.at(std::get<2>(group)));
    group = std::move(next);
    const auto row = row_of.find({rows.count(0), rows.count(3)});
    if (row == row_of.end()) continue;  // of a rank that no start of the job has
    samples.push_back({.row = row->second,
                       .stage = map.rows[row->second].at.pp,
                       .seconds = 1e-9 * static_cast<double>(rows.integer(4))});
  }
  if (!samples.empty()) sums.add(samples, segment_of.at(std::get<2>(group)));
  sums.end();
}

}  // namespace

ReadHeatMap read_heat_map(const std::string& file, const HeatMapQuery& query) {
  ReadHeatMap read;
  read.problem = with_segment_file(file, [&](sqlite3* database) -> std::string {
    sqlite::Statement drill(database, "SELECT scenario, seed FROM drill");
    if (drill.step()) read.map.scenario = drill.text(0);
    read.map.seed = static_cast<std::uint64_t>(drill.integer(1));
    read_segments(database, query, read.map);
    return "";
  });
  return read;
}

}  // namespace gauntlet
