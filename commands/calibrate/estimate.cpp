#include "commands/calibrate/estimate.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace gauntlet {
namespace {

constexpr double kTail = 0.05;            // outside each end of an interval
constexpr double kSmallestSpread = 1e-5;  // below it durations are equal, as commands/trace/fit has it

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}

/// How far the values lie apart, within runs and between them.
struct Spread {
  double within = 0, between = 0;  // variances
  double degrees = 0;              // of freedom of the error of the mean
  double clumping = 1;             // sum of the squares of the runs' sizes, by the number of values
};

/// `used`: degrees of freedom that the centre has used up.
Spread spread_of(const KeySample& sample, std::span<const double> values, double used) {
  std::map<std::uint32_t, std::vector<double>> runs;
  for (std::size_t i = 0; i < values.size(); ++i) runs[sample.values[i].run].push_back(values[i]);
  const double n = static_cast<double>(values.size()), k = static_cast<double>(runs.size());
  const double mean = mean_of(values);
  double within = 0, between = 0, squares = 0;
  for (const auto& [run, of] : runs) {
    const double own = mean_of(of), size = static_cast<double>(of.size());
    for (const double each : of) within += (each - own) * (each - own);
    between += size * (own - mean) * (own - mean);
    squares += size * size;
  }
  Spread out{.within = 0, .between = 0, .degrees = std::max(0.0, n - used), .clumping = squares / n};
  const double run_degrees = k - used;
  if (n > k) out.within = within / (n - k);
  if (run_degrees >= 1 && n > k)
    out.between = std::max(0.0, (between / run_degrees - out.within) / ((n - out.clumping) / (k - 1)));
  const bool one_of_each = n == k;  // then runs and values are one
  if (one_of_each) out.within = out.degrees >= 1 ? between / out.degrees : 0;
  if (run_degrees < 1 && n > k) out.within = out.degrees >= 1 ? (within + between) / out.degrees : 0;
  if (out.between > 0) out.degrees = run_degrees;
  return out;
}

LogInterval interval(double seconds, double error_of_log, double degrees) {
  const double reach = student_t_quantile(1 - kTail, degrees) * error_of_log;
  return {.low = seconds * math_exp(-reach), .high = seconds * math_exp(reach)};
}

/// `share`: of the variance of one value, that of the centre. `scale`: of the values, to their logarithm.
void put_intervals(Estimate& into, KeyForm form, const Spread& spread, double share, double scale) {
  into.value = into.one_run = {.low = into.seconds, .high = into.seconds};
  const double one = std::sqrt(spread.within + spread.between) * scale;
  if (spread.degrees < 1 || !(one > kSmallestSpread)) return;
  into.degrees = spread.degrees;
  const double of_value = share * (spread.within + spread.between * spread.clumping);
  // A simulated run has one duration for all of its stops, so that is the mean of a run; of a distribution it has many draws.
  const double of_mean =
      form == KeyForm::duration ? spread.within * into.runs / static_cast<double>(into.n) : 0;
  into.value = interval(into.seconds, std::sqrt(of_value) * scale, spread.degrees);
  into.one_run =
      interval(into.seconds, std::sqrt(of_value + spread.between + of_mean) * scale, spread.degrees);
}

/// Where the value lies at a size, and what its variance is of that of one measurement.
struct Centre {
  std::vector<double> at;  // of each measurement
  double asked = 0;        // for the size that was asked for
  double share = 0;
  double used = 1;  // degrees of freedom
};

Centre mean_centre(std::span<const double> seconds) {
  const double mean = mean_of(seconds);
  return {.at = std::vector<double>(seconds.size(), mean),
          .asked = mean,
          .share = 1 / static_cast<double>(seconds.size())};
}

/// By least squares. Nothing where it is not above zero at a size that counts.
std::optional<Centre> line_centre(const KeySample& sample, double size, Estimate& into) {
  const double n = static_cast<double>(sample.values.size());
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (const MeasuredDuration& each : sample.values) {
    x_mean += each.size / n;
    y_mean += each.seconds / n;
  }
  for (const MeasuredDuration& each : sample.values) {
    xx += (each.size - x_mean) * (each.size - x_mean);
    xy += (each.size - x_mean) * (each.seconds - y_mean);
  }
  const auto [least, most] =
      std::minmax_element(sample.values.begin(), sample.values.end(),
                          [](const auto& a, const auto& b) { return a.size < b.size; });
  into.line = SizeLine{
      .at_zero = y_mean - xy / xx * x_mean, .per_unit = xy / xx, .least = least->size, .most = most->size};
  into.extrapolated = size < least->size || size > most->size;
  const auto at = [&](double x) { return into.line->at_zero + into.line->per_unit * x; };
  Centre out{.at = {}, .asked = at(size), .share = 1 / n + (size - x_mean) * (size - x_mean) / xx, .used = 2};
  for (const MeasuredDuration& each : sample.values) out.at.push_back(at(each.size));
  const bool positive =
      out.asked > 0 && std::all_of(out.at.begin(), out.at.end(), [](double each) { return each > 0; });
  return positive ? std::optional(out) : std::nullopt;
}

/// The median of a lognormal distribution around the centre.
void put_distribution(const KeySample& sample, const Centre& centre, Estimate& into) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    logs.push_back(math_log(sample.values[i].seconds / centre.at[i]));
  into.seconds = centre.asked * math_exp(mean_of(logs));
  const Spread spread = spread_of(sample, logs, centre.used);
  const double sigma = std::sqrt(spread.within);
  if (spread.degrees >= 1 && sigma > kSmallestSpread) into.sigma = sigma;
  put_intervals(into, KeyForm::distribution, spread, centre.share, 1);
}

void put_mean(const KeySample& sample, const Centre& centre, Estimate& into) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    errors.push_back(sample.values[i].seconds - centre.at[i]);
  into.seconds = centre.asked;
  put_intervals(into, KeyForm::duration, spread_of(sample, errors, centre.used), centre.share,
                centre.asked > 0 ? 1 / centre.asked : 0);
}

}  // namespace

std::optional<Estimate> estimate(const KeySample& sample, double size) {
  if (sample.values.empty()) return std::nullopt;
  Estimate out;
  std::vector<double> seconds;
  std::set<double> sizes;
  std::set<std::uint32_t> runs;
  for (const MeasuredDuration& each : sample.values) {
    seconds.push_back(each.seconds);
    sizes.insert(each.size);
    runs.insert(each.run);
  }
  out.n = seconds.size();
  out.runs = static_cast<std::uint32_t>(runs.size());
  out.least = *std::min_element(seconds.begin(), seconds.end());
  out.most = *std::max_element(seconds.begin(), seconds.end());
  out.size = size;
  out.extrapolated = sample.grows != Grows::with_nothing && *sizes.begin() != size;
  Centre centre = mean_centre(seconds);
  if (sizes.size() > 1 && sample.grows != Grows::with_nothing) {
    auto line = line_centre(sample, size, out);
    if (!line) return std::nullopt;
    centre = std::move(*line);
  }
  if (sample.form == KeyForm::distribution && out.least > 0)
    put_distribution(sample, centre, out);
  else
    put_mean(sample, centre, out);
  return out;
}

}  // namespace gauntlet
