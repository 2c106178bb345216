// The mean of a metric over the replicas of a point, with what its controls explain taken out.
#pragma once

#include "study/controls.hpp"
#include "study/summary/metrics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gauntlet {

/// A residual is what is left of numbers as large as the mean: below this share of it there is rounding alone.
inline constexpr double kResidualRounding = 1e-13;

/// The ratio of the weighted means of numerators and denominators, by Welford's recurrence (Technometrics 4(3), 1962,
/// https://doi.org/10.1080/00401706.1962.10490022; with weights D. H. D. West, Communications of the ACM 22(9), 1979,
/// https://doi.org/10.1145/359146.359153). Its error is that of the mean of the residuals (numerator - ratio x denominator) /
/// mean denominator, the delta method (Cochran, Sampling Techniques, 3rd ed., 1977, sec. 6.3, the ratio estimator), less their
/// regression on the controls. Each counts by its weight, and by how much the mean would move without it: the jackknife of a regression
/// (MacKinnon and White, Journal of Econometrics 29(3), 1985, https://doi.org/10.1016/0304-4076(85)90158-7, HC3), which holds where
/// replicas with many faults scatter more. For a plain metric without controls it is exactly the usual standard error.
class ControlledRatio {
 public:
  ControlledRatio() = default;
  explicit ControlledRatio(Controls controls) : controls_(std::move(controls)) {}

  /// Of the next replica.
  void add(const Fraction& of) {
    const double weight = controls_.weight(replicas_);
    const auto coordinates = controls_.coordinates(replicas_);
    weights_ += weight;
    // The first as it is: the mean of what is always the same is that, without rounding.
    numerator_ = replicas_ == 0 ? of.numerator : numerator_ + (of.numerator - numerator_) * weight / weights_;
    denominator_ =
        replicas_ == 0 ? of.denominator : denominator_ + (of.denominator - denominator_) * weight / weights_;
    const double n = static_cast<double>(++replicas_);
    plain_numerator_ += (of.numerator - plain_numerator_) / n;
    plain_denominator_ += (of.denominator - plain_denominator_) / n;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      of_numerator_[k] += coordinates[k] * of.numerator;
      of_denominator_[k] += coordinates[k] * of.denominator;
    }
  }
  double value() const { return numerator_ / denominator_; }

  /// After the last add(): by how much a replica moves the mean, times their number. The standard error of the mean is the sample
  /// standard deviation of these over the root of their number, with degrees_of_freedom().
  double residual(const Fraction& of, std::size_t replica) const {
    const double ratio = value();
    double left = of.numerator - ratio * of.denominator;
    const auto coordinates = controls_.coordinates(replica);
    if (coordinates.empty()) return left / denominator_;
    left -= plain_numerator_ - ratio * plain_denominator_;
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      left -= coordinates[k] * (of_numerator_[k] - ratio * of_denominator_[k]);
    const double others = 1 - 1 / static_cast<double>(replicas_);
    return left / denominator_ * controls_.weight(replica) * others /
           std::max(others - controls_.leverage(replica), kLeastShare);
  }
  double degrees_of_freedom() const {
    return static_cast<double>(replicas_) - 1 - static_cast<double>(controls_.size());
  }
  /// After the last add(): the fraction with what the controls explain of both parts taken out. The means of such fractions are the
  /// weighted ones.
  Fraction adjusted(const Fraction& of, std::size_t replica) const {
    const auto coordinates = controls_.coordinates(replica);
    if (coordinates.empty()) return of;
    Fraction out{of.numerator + (numerator_ - plain_numerator_),
                 of.denominator + (denominator_ - plain_denominator_)};
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      out.numerator -= coordinates[k] * of_numerator_[k];
      out.denominator -= coordinates[k] * of_denominator_[k];
    }
    return out;
  }
  const Controls& controls() const { return controls_; }

 private:
  // A replica that alone decides a coefficient has no residual; rounding shall not divide by it.
  static constexpr double kLeastShare = 1e-6;

  Controls controls_;
  std::size_t replicas_ = 0;
  double weights_ = 0, numerator_ = 0, denominator_ = 0;  // weighted means
  double plain_numerator_ = 0, plain_denominator_ = 0;    // means
  std::array<double, kMostControls> of_numerator_{},
      of_denominator_{};  // their components along the controls
};

}  // namespace gauntlet
