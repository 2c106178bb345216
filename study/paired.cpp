#include "study/paired.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gauntlet {
namespace {

// One side's mean, by the recurrences of MetricStatistics, so that the difference is that of the two printed means.
struct Mean {
  double numerator = 0, denominator = 0;
  std::size_t defined = 0;  // replicas with a value of their own

  explicit Mean(std::span<const Fraction> of) {
    double n = 0;
    for (const Fraction& each : of) {
      n += 1;
      numerator += (each.numerator - numerator) / n;
      denominator += (each.denominator - denominator) / n;
      if (each.denominator > 0) ++defined;
    }
  }
  double value() const { return numerator / denominator; }
  double residual(const Fraction& of) const {
    return (of.numerator - value() * of.denominator) / denominator;
  }
};

// A paired residual is a difference of numbers as large as the mean; below this share of it there is rounding alone.
constexpr double kRounding = 1e-13;

}  // namespace

PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second) {
  expect(first.size() == second.size(), "pairs have two sides");
  PairedDifference out;
  const Mean a(first), b(second);
  const std::size_t defined = std::min(a.defined, b.defined);
  if (defined == 0) return out;
  out.difference = b.value() - a.value();
  if (defined < 2) return out;

  double apart = 0, paired = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double of_first = a.residual(first[i]), of_second = b.residual(second[i]);
    apart += of_first * of_first + of_second * of_second;
    paired += (of_second - of_first) * (of_second - of_first);
  }
  const double n = static_cast<double>(first.size());
  double sd = std::sqrt(paired / (n - 1));
  if (sd <= kRounding * std::max(std::abs(a.value()), std::abs(b.value()))) sd = 0;
  if (sd > 0) out.variance_factor = apart / paired;
  out.se = sd / std::sqrt(n);
  if (defined < kFewestForInterval) return out;
  const double half_width = student_t_quantile(0.975, n - 1) * *out.se;
  out.ci95 = Interval{*out.difference - half_width, *out.difference + half_width};
  return out;
}

}  // namespace gauntlet
