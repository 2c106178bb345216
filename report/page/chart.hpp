// The charts of a page as data: what each shows, and in which unit. The script of the page draws them.
#pragma once

#include "study/summary/field_kind.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

/// Logarithmic where all values are above zero and span two decades or more, else linear.
ChartScale scale_for(const std::vector<double>& values);

struct ChartAxis {
  std::string title;
  ChartUnit unit = ChartUnit::number;
  ChartScale scale = ChartScale::linear;
  std::optional<std::pair<double, double>> span = {};  // that a horizontal axis shows at least
};

/// More lines of a tooltip, and columns of a table: name, value.
using ChartDetails = std::vector<std::pair<std::string, std::string>>;

struct ChartPoint {
  double x = 0;
  std::string x_text;  // exact, for the tooltip ("4min12s"); on a category axis the category itself
  double y = 0;        // finite
  std::optional<double> low = {}, high = {};  // of its interval
  ChartDetails details = {};
};

enum class ChartLine : std::uint8_t {
  straight,  // from point to point
  steps,     // a value holds until the next point
  none,      // points alone
};

struct ChartSeries {
  std::string name;  // in the legend; empty where there is one series
  std::vector<ChartPoint> points;
  ChartLine line = ChartLine::straight;
};

/// A value to point at: a line across the chart. Labels stand above the chart and never lie on each other.
struct ChartMark {
  double x = 0;
  std::string x_text;  // the category, on a category axis
  std::string text;    // "best: 8min"
};

/// A stretch of the x axis that is shaded: an incident.
struct ChartBand {
  double from = 0, to = 0;
};

/// y against x.
struct LineChart {
  std::string title;
  ChartAxis x, y;
  std::string series_title;  // what the series differ in; empty where there is one
  std::vector<ChartSeries> series;
  std::vector<ChartMark> marks = {};
  std::string bands_title = {};  // what the bands are, in the legend
  std::vector<ChartBand> bands = {};
};

/// One value of a bar.
struct BarPart {
  double value = 0;                           // finite
  std::optional<double> low = {}, high = {};  // of its interval
  ChartDetails details = {};
};

struct Bar {
  std::string name;
  std::vector<std::optional<BarPart>> parts;  // by series; nothing where a series has no value
};

enum class BarKind : std::uint8_t {
  beside,   // the parts of a bar lie below each other
  stacked,  // the parts follow each other, and are zero or more
  dots,     // a dot for each part, with a line between them; the scale may be logarithmic
};

/// Horizontal bars, from the top down.
struct BarChart {
  std::string title;
  std::string bars_title;  // what the bars are: "phase"
  ChartAxis value;         // linear, but for dots
  std::vector<std::string> series = {""};
  BarKind kind = BarKind::beside;
  std::vector<Bar> bars = {};
};

/// How the runs of a study are distributed over a value: a histogram above the share of runs up to each value.
struct Distribution {
  std::string title;
  ChartAxis value;
  std::vector<double> edges;          // of the bins, rising; one more than there are bins
  std::vector<std::uint64_t> counts;  // of runs, by bin
  struct Quantile {
    double value = 0, share = 0;
  };
  std::vector<Quantile> cdf;                                // rising
  std::vector<std::pair<std::string, double>> percentiles;  // "p50", its value; those that are known
  std::uint64_t runs = 0;                                   // in all
  std::uint64_t gave_up = 0;                                // beyond the last bin: these have no value
};

/// The distribution of so many values: at most 40 bins of equal width (of equal ratio on a logarithmic axis), no more than 201
/// points of the CDF, each a value of a run, and the percentiles that `of` knows. Nothing where all values are equal.
/// `values`: one for each of the `of.n` runs but the `of.gave_up` that gave up, which count as above all others.
std::optional<Distribution> distribution_of(std::string title, ChartAxis value, std::vector<double> values,
                                            const Statistics& of);

/// One cell for each pair of an x and a y value.
struct HeatCell {
  std::string x_text, y_text;
  double value = 0;
  bool outlined = false;  // a part of the region that is outlined
  ChartDetails details = {};
};
struct HeatMap {
  std::string title;
  std::string x_title, y_title;
  std::vector<std::string> x_values, y_values;  // in their order, from the left and from below
  ChartAxis value;                              // what the colour says; its scale is not looked at
  std::vector<HeatCell> cells;
  std::optional<std::pair<double, double>> at_least =
      {};  // values that the colours reach in any case: so that small differences do not get the strongest colours
  std::string outline_title = {};                                // what the outlined cells are, in the legend
  std::optional<std::pair<std::string, std::string>> best = {};  // the cell to point at
};

using Chart = std::variant<LineChart, BarChart, Distribution, HeatMap>;

}  // namespace gauntlet
