// Charts as one HTML file that opens anywhere: its library (D3, https://d3js.org) is inside, nothing is fetched.
#pragma once

#include "study/summary/field_kind.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// What the numbers of an axis are, for its ticks: "10min", "80%", "1.2 TB". Numbers are in the base unit: a share in
/// [0, 1] for percent, seconds, bytes, bytes per second, money.
enum class ChartUnit : std::uint8_t { number, percent, duration, bytes, bandwidth, money };

/// Of the values of a field.
ChartUnit unit_of(FieldKind kind);

enum class ChartScale : std::uint8_t {
  linear,
  logarithmic,  // numbers above zero
  category,     // words side by side, in the order in which they first appear
};

struct ChartAxis {
  std::string title;
  ChartUnit unit = ChartUnit::number;
  ChartScale scale = ChartScale::linear;
};

struct ChartPoint {
  double x = 0;
  std::string x_text;  // exact, for the tooltip ("4min12s"); on a category axis the category itself
  double y = 0;        // finite
  std::optional<double> low, high;                                // of its interval
  std::vector<std::pair<std::string, std::string>> details = {};  // more lines of the tooltip: name, value
};

/// Points that a line joins, in their order.
struct ChartSeries {
  std::string name;  // in the legend; empty where there is one series
  std::vector<ChartPoint> points;
  bool line = true;  // false: points alone
};

/// A value to point at. Labels stand above the chart, each mark's on a line of its own: the farther to the left, the higher,
/// so that no label lies on another or on the line of a mark to its right.
struct ChartMark {
  double x = 0;
  std::string x_text;  // the category, on a category axis
  std::string text;    // "best: 8min"
};

/// y against x.
struct LineChart {
  std::string title;
  ChartAxis x, y;
  std::string series_title;  // what the series differ in; empty where there is one
  std::vector<ChartSeries> series;
  std::vector<ChartMark> marks = {};
};

/// One cell for each pair of an x and a y value.
struct HeatCell {
  std::string x_text, y_text;
  double value = 0;
  std::vector<std::pair<std::string, std::string>> details = {};
};
struct HeatMap {
  std::string title;
  std::string x_title, y_title;
  std::vector<std::string> x_values, y_values;  // in their order, from the left and from below
  ChartAxis value;                              // what the colour says; its scale is not looked at
  std::vector<HeatCell> cells;
  std::optional<std::pair<std::string, std::string>> best = {};  // the cell to point at
};

/// Everything on one page, each chart below the one before.
struct ChartPage {
  std::string title;             // the answer
  std::string subtitle;          // what the intervals are, how many replicas, the seed
  std::string currency = "USD";  // of all money
  std::vector<LineChart> lines = {};
  std::vector<HeatMap> maps = {};
  std::string note = {};  // below the charts: the command that makes it again
};

/// The same bytes for the same page.
std::string to_html(const ChartPage& page);

}  // namespace gauntlet
