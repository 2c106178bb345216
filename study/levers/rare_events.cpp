#include "study/levers/rare_events.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace gauntlet {
namespace {

struct Totals {
  double numerator = 0, denominator = 0;

  explicit Totals(std::span<const Fraction> of) {
    for (const Fraction& each : of) {
      numerator += each.numerator;
      denominator += each.denominator;
    }
  }
  /// Of a replica, of the mean.
  double residual(const Fraction& of) const {
    return (of.numerator - numerator / denominator * of.denominator) / denominator;
  }
};

}  // namespace

double rare_events(std::span<const Fraction> first, std::span<const Fraction> second) {
  const Totals of_first(first), of_second(second);
  double squares = 0, cubes = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double residual = of_second.residual(second[i]) - of_first.residual(first[i]);
    squares += residual * residual;
    cubes += residual * residual * residual;
  }
  const double skewness = squares > 0 ? cubes / (squares * std::sqrt(squares)) : 0;
  return std::abs(skewness) > 0 ? 1 / (skewness * skewness) : std::numeric_limits<double>::infinity();
}

}  // namespace gauntlet
