#include "report/page/chart.hpp"

#include "core/math/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kDecades = 100;         // ratio of the ends from which on an axis is logarithmic
constexpr std::size_t kMostBins = 40;    // more are thinner than a finger on the screen of a phone
constexpr std::size_t kQuantiles = 200;  // steps of a CDF: half a percent each

/// The number of bins: the square root of the number of values, as spreadsheets take it.
std::size_t bins_for(std::size_t values) {
  const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(values))));
  return std::clamp<std::size_t>(root, 5, kMostBins);
}

void fill_bins(Distribution& of, const std::vector<double>& rising) {
  const std::size_t bins = bins_for(rising.size());
  const bool log = of.value.scale == ChartScale::logarithmic;
  const double low = log ? math_log(rising.front()) : rising.front();
  const double high = log ? math_log(rising.back()) : rising.back();
  for (std::size_t i = 0; i <= bins; ++i) {
    const double edge = low + (high - low) * static_cast<double>(i) / static_cast<double>(bins);
    of.edges.push_back(log ? math_exp(edge) : edge);
  }
  of.edges.front() = rising.front();
  of.edges.back() = rising.back();
  of.counts.assign(bins, 0);
  std::size_t bin = 0;
  for (const double value : rising) {
    while (bin + 1 < bins && value >= of.edges[bin + 1]) ++bin;
    ++of.counts[bin];
  }
}

/// The share of the runs with no more than a value, at values of runs.
void fill_cdf(Distribution& of, const std::vector<double>& rising) {
  const std::size_t last = rising.size() - 1, steps = std::min(kQuantiles, last);
  for (std::size_t i = 0; i <= steps; ++i) {
    const std::size_t at = i * last / steps;
    of.cdf.push_back(
        {.value = rising[at], .share = static_cast<double>(at + 1) / static_cast<double>(of.runs)});
  }
}

}  // namespace

ChartUnit unit_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::duration:
      return ChartUnit::duration;
    case FieldKind::bytes:
      return ChartUnit::bytes;
    case FieldKind::bandwidth:
      return ChartUnit::bandwidth;
    case FieldKind::money:
      return ChartUnit::money;
    case FieldKind::text:
    case FieldKind::number:
    case FieldKind::flop_rate:
      return ChartUnit::number;
  }
  return ChartUnit::number;
}

ChartScale scale_for(const std::vector<double>& values) {
  if (values.empty()) return ChartScale::linear;
  const auto [low, high] = std::ranges::minmax(values);
  return low > 0 && high / low >= kDecades ? ChartScale::logarithmic : ChartScale::linear;
}

std::optional<Distribution> distribution_of(std::string title, ChartAxis value, std::vector<double> values,
                                            const Statistics& of) {
  std::ranges::sort(values);
  if (values.size() < 2 || values.front() == values.back()) return std::nullopt;
  value.scale = scale_for(values);
  Distribution out{.title = std::move(title),
                   .value = std::move(value),
                   .edges = {},
                   .counts = {},
                   .cdf = {},
                   .percentiles = {},
                   .runs = values.size() + of.gave_up,
                   .gave_up = of.gave_up};
  fill_bins(out, values);
  fill_cdf(out, values);
  for (const auto& [name, percentile] :
       {std::pair("p1", of.p1), std::pair("p5", of.p5), std::pair("p50", of.p50), std::pair("p95", of.p95),
        std::pair("p99", of.p99)})
    if (percentile) out.percentiles.emplace_back(name, *percentile);
  return out;
}

}  // namespace gauntlet
