#include "study/paired.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"
#include "study/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gauntlet {
namespace {

// A paired residual is a difference of numbers as large as the mean; below this share of it there is rounding alone.
constexpr double kRounding = 1e-13;

}  // namespace

void PairedStatistics::Side::add(const Fraction& of, double n) {
  numerator += (of.numerator - numerator) / n;
  denominator += (of.denominator - denominator) / n;
  if (of.denominator > 0) ++defined;
}

void PairedStatistics::add_mean(const Fraction& first, const Fraction& second) {
  const double n = static_cast<double>(++pairs_);
  first_.add(first, n);
  second_.add(second, n);
  if (first.value() != second.value()) ++different_;
  if (value_ != RunValue::happened) return;
  first_only_ += first.numerator > second.numerator ? 1 : 0;
  second_only_ += second.numerator > first.numerator ? 1 : 0;
}

void PairedStatistics::add_scatter(const Fraction& first, const Fraction& second) {
  const double of_first = first_.residual(first), of_second = second_.residual(second);
  apart_ += of_first * of_first + of_second * of_second;
  paired_ += (of_second - of_first) * (of_second - of_first);
}

std::optional<double> PairedStatistics::mean_difference() const {
  if (std::min(first_.defined, second_.defined) == 0) return std::nullopt;
  return second_.value() - first_.value();
}

PairedDifference PairedStatistics::difference() const {
  PairedDifference out;
  out.difference = mean_difference();
  const std::uint64_t defined = std::min(first_.defined, second_.defined);
  if (defined < 2) return out;
  const double n = static_cast<double>(pairs_);
  double sd = std::sqrt(paired_ / (n - 1));
  if (sd <= kRounding * std::max(std::abs(first_.value()), std::abs(second_.value()))) sd = 0;
  if (sd > 0) out.variance_factor = apart_ / paired_;
  out.se = sd / std::sqrt(n);
  if (value_ == RunValue::happened) {
    if (defined >= kFewestForInterval) out.ci95 = paired_share_interval(first_only_, second_only_, pairs_);
    return out;
  }
  const bool few = different_ > 0 && different_ < std::min(kFewestDifferent, pairs_);
  if (defined < kFewestForInterval || few) return out;
  const double half_width = student_t_quantile(0.975, n - 1) * *out.se;
  out.ci95 = Interval{*out.difference - half_width, *out.difference + half_width};
  return out;
}

PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second,
                                   RunValue value) {
  expect(first.size() == second.size(), "pairs have two sides");
  PairedStatistics of(value);
  for (std::size_t i = 0; i < first.size(); ++i) of.add_mean(first[i], second[i]);
  if (of.mean_difference())
    for (std::size_t i = 0; i < first.size(); ++i) of.add_scatter(first[i], second[i]);
  return of.difference();
}

}  // namespace gauntlet
