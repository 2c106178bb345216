#include "study/levers/paired_scatter.hpp"

#include "core/contract.hpp"
#include "study/controlled_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

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
  double ratio() const { return numerator / denominator; }
  /// Of a replica, of the ratio.
  double residual(const Fraction& of) const {
    return (of.numerator - ratio() * of.denominator) / denominator;
  }
};

}  // namespace

PairedScatter paired_scatter(std::span<const Fraction> first, std::span<const Fraction> second) {
  expect(first.size() == second.size() && first.size() > 1, "pairs have two sides, and there are two pairs");
  const Totals of_first(first), of_second(second);
  double squares = 0, cubes = 0, furthest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double residual = of_second.residual(second[i]) - of_first.residual(first[i]);
    squares += residual * residual;
    cubes += residual * residual * residual;
    furthest = std::max(furthest, std::abs(residual));
  }
  PairedScatter out{.difference = of_second.ratio() - of_first.ratio()};
  const double n = static_cast<double>(first.size());
  const double largest = std::max(std::abs(of_first.ratio()), std::abs(of_second.ratio()));
  if (squares * n <= kResidualRounding * kResidualRounding * largest * largest) return out;
  out.error = std::sqrt(squares * n / (n - 1));
  out.skewness = cubes / (squares * std::sqrt(squares));
  out.largest = furthest;
  return out;
}

}  // namespace gauntlet
