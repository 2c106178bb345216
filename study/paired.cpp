#include "study/paired.hpp"

#include "core/contract.hpp"
#include "study/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gauntlet {
PairedStatistics::PairedStatistics(RunValue value, const PairedControls& controls) : value_(value) {
  if (value == RunValue::happened) return;
  first_.ratio = ControlledRatio(controls.first);
  second_.ratio = ControlledRatio(controls.second);
}

void PairedStatistics::Side::add(const Fraction& of) {
  ratio.add(of);
  if (of.denominator > 0) ++defined;
}

void PairedStatistics::add_mean(const Fraction& first, const Fraction& second) {
  ++pairs_;
  first_.add(first);
  second_.add(second);
  if (first.value() != second.value()) ++different_;
  equal_ = equal_ && first.numerator == second.numerator && first.denominator == second.denominator;
  if (value_ != RunValue::happened) return;
  first_only_ += first.numerator > second.numerator ? 1 : 0;
  second_only_ += second.numerator > first.numerator ? 1 : 0;
}

void PairedStatistics::add_scatter(const Fraction& first, const Fraction& second) {
  const double of_first = first_.ratio.residual(first, scattered_),
               of_second = second_.ratio.residual(second, scattered_);
  ++scattered_;
  apart_ += of_first * of_first + of_second * of_second;
  together_ += (of_second - of_first) * (of_second - of_first);
  paired_.add(of_second - of_first);
}

std::optional<double> PairedStatistics::mean_difference() const {
  if (std::min(first_.defined, second_.defined) == 0) return std::nullopt;
  // With controls of their own, sides that are equal would have means that are not.
  return equal_ ? 0 : second_.ratio.value() - first_.ratio.value();
}

PairedDifference PairedStatistics::difference() const {
  PairedDifference out;
  out.difference = mean_difference();
  const std::uint64_t defined = std::min(first_.defined, second_.defined);
  if (defined < 2) return out;
  const double n = static_cast<double>(pairs_);
  double sd = equal_ ? 0 : paired_.deviation();
  if (sd <= kResidualRounding * std::max(std::abs(first_.ratio.value()), std::abs(second_.ratio.value())))
    sd = 0;
  if (sd > 0) out.variance_factor = apart_ / together_;
  out.se = sd / std::sqrt(n);
  if (value_ == RunValue::happened) {
    if (defined >= kFewestForInterval) out.ci95 = paired_share_interval(first_only_, second_only_, pairs_);
    return out;
  }
  const bool few = different_ > 0 && different_ < std::min(kFewestDifferent, pairs_);
  if (defined < kFewestForInterval || few) return out;
  const double freedom = std::min(first_.ratio.degrees_of_freedom(), second_.ratio.degrees_of_freedom());
  // Student's: whoever reads a difference with one number beside it takes it to be certain where it is larger than that.
  out.ci95 = mean_interval(*out.difference, *out.se, ResidualMoments(), freedom);
  return out;
}

PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second,
                                   RunValue value, const PairedControls& controls) {
  expect(first.size() == second.size(), "pairs have two sides");
  PairedStatistics of(value, controls);
  for (std::size_t i = 0; i < first.size(); ++i) of.add_mean(first[i], second[i]);
  if (of.mean_difference())
    for (std::size_t i = 0; i < first.size(); ++i) of.add_scatter(first[i], second[i]);
  return of.difference();
}

}  // namespace gauntlet
