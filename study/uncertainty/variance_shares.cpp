#include "study/uncertainty/variance_shares.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "study/uncertainty/least_squares.hpp"
#include "study/uncertainty/two_level.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

constexpr std::size_t kFewestSpare = 20;  // draws beyond those that the coefficients take
constexpr double kRounding = 1e-12;       // of a variance, relative: nothing

/// A part of the variance, and how well it is known.
struct Part {
  double value = 0;
  double raw = 0;            // the same before bias is taken out: the middle of its interval
  double low = 0, high = 0;  // 95%
  double error = 0;          // standard error
};

Part part_of(const Coefficient& of, double variance, double degrees) {
  const double size = std::abs(of.value), square = of.error * of.error;
  const double reach = student_t_quantile(0.975, degrees) * of.error;
  const double low = std::max(0.0, size - reach), high = size + reach;
  return {.value = std::max(0.0, size * size - square) * variance,
          .raw = size * size * variance,
          .low = low * low * variance,
          .high = high * high * variance,
          .error = std::sqrt(4 * size * size * square + 2 * square * square) * variance};
}

/// A variance of which each of `values` is an estimate, less `known`. Squares have a long tail above, so that the error is
/// about symmetric in the logarithm of their mean (Bonett, Computational Statistics & Data Analysis 50(3), 2006,
/// https://doi.org/10.1016/j.csda.2004.10.003).
Part variance_of(std::span<const double> values, double known) {
  const double n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  Part out;
  out.value = out.raw = std::max(0.0, mean - known);
  out.error = std::sqrt(squares / (n - 1) / n);
  const double factor = mean > 0 ? math_exp(normal_quantile(0.975) * out.error / mean) : 1;
  out.low = std::max(0.0, mean / factor - known);
  out.high = std::max(0.0, mean * factor - known);
  return out;
}

/// x / (x + 1) of the ratio of two estimates.
double share_of(double ratio) { return std::isinf(ratio) ? 1 : ratio / (1 + ratio); }

VarianceShare share_of(const Part& part, const std::vector<const Part*>& others) {
  double rest = 0, square = 0;
  for (const Part* other : others) {
    if (other == &part) continue;
    rest += other->value;
    square += other->error * other->error;
  }
  if (part.value + rest <= 0) return {};
  VarianceShare out{.value = part.value / (part.value + rest), .ci95 = {}};
  if (rest <= kRounding * part.value) return {.value = out.value, .ci95 = {out.value, 1}};
  if (part.high <= kRounding * rest) return {.value = out.value, .ci95 = {0, out.value}};
  // In logarithms, in which the errors of both are about symmetric.
  const double of_rest = normal_quantile(0.975) * std::sqrt(square) / rest;
  const double middle = std::max(part.raw, kRounding * part.high);
  const auto end = [&](double to, double sign) {
    const double of_part = math_log(to / middle);
    return share_of(middle / rest * math_exp(sign * std::sqrt(of_part * of_part + of_rest * of_rest)));
  };
  out.ci95.low = part.low > 0 ? std::min(out.value, end(part.low, -1)) : 0;
  out.ci95.high = std::max(out.value, end(part.high, +1));
  return out;
}

/// Those that differ between draws, without a value for draws that have no mean.
std::vector<std::vector<double>> columns_of(std::span<const DrawnUnknown> unknowns,
                                            const std::vector<std::size_t>& draws,
                                            std::vector<std::size_t>& numbers) {
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    std::vector<double> column;
    for (const std::size_t draw : draws) column.push_back(unknowns[k].values[draw]);
    if (std::adjacent_find(column.begin(), column.end(), std::not_equal_to<>()) == column.end()) continue;
    columns.push_back(std::move(column));
    numbers.push_back(k);
  }
  return columns;
}

}  // namespace

std::optional<VarianceShares> variance_shares(std::span<const Fraction> given,
                                              std::span<const std::vector<Fraction>> drawn,
                                              std::span<const DrawnUnknown> unknowns) {
  const std::optional<DrawnMeans> means = drawn_means(given, drawn);
  if (!means) return std::nullopt;
  std::vector<std::size_t> numbers;
  const auto columns = columns_of(unknowns, means->draws, numbers);
  if (means->draws.size() < columns.size() + 1 + kFewestSpare) return std::nullopt;
  const std::optional<Regression> fit = regress(means->without_common, columns);
  if (!fit) return std::nullopt;

  std::vector<Part> parts(unknowns.size());  // then U and R
  for (std::size_t i = 0; i < numbers.size(); ++i)
    parts[numbers[i]] = part_of(fit->coefficients[i], unknowns[numbers[i]].variance, fit->degrees);
  parts.push_back(variance_of(fit->squares, means->common_error));
  parts.push_back(variance_of(means->run_variances, 0));

  VarianceShares out;
  std::vector<const Part*> all;
  for (const Part& part : parts) {
    out.variance += part.value;
    all.push_back(&part);
  }
  double largest = 0;
  for (const double mean : means->means) largest = std::max(largest, std::abs(mean));
  if (out.variance <= kRounding * kRounding * largest * largest) return std::nullopt;
  for (std::size_t k = 0; k < unknowns.size(); ++k) out.unknowns.push_back(share_of(parts[k], all));
  out.joint = parts[unknowns.size()].value / out.variance;
  out.runs = share_of(parts[unknowns.size() + 1], all);
  return out;
}

}  // namespace gauntlet
