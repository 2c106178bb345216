#include "study/uncertainty/least_squares.hpp"

#include <cmath>
#include <cstddef>

namespace gauntlet {
namespace {

constexpr double kSmallest = 1e-10;  // of a pivot that is 1 where a column is like no other

/// Of mean zero and length 1.
std::vector<double> standardised(std::vector<double> values, double& length) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (double& value : values) {
    value -= mean;
    squares += value * value;
  }
  length = std::sqrt(squares);
  for (double& value : values) value = length > 0 ? value / length : 0;
  return values;
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Orthonormal columns q with columns = q r, r upper triangular: Gram and Schmidt's, each column twice, which leaves nothing but
/// rounding (Golub and Van Loan, Matrix Computations, 4th ed., 2013, sec. 5.2).
struct Orthogonal {
  std::vector<std::vector<double>> q;
  std::vector<std::vector<double>> r;  // r[i][k], i <= k
};

std::optional<Orthogonal> orthogonal(const std::vector<std::vector<double>>& columns) {
  const std::size_t count = columns.size();
  Orthogonal out{.q = {}, .r = std::vector(count, std::vector<double>(count, 0))};
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> rest = columns[k];
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < k; ++i) {
        const double along = product(out.q[i], rest);
        out.r[i][k] += along;
        for (std::size_t j = 0; j < rest.size(); ++j) rest[j] -= along * out.q[i][j];
      }
    const double length = std::sqrt(product(rest, rest));
    if (!(length > kSmallest)) return std::nullopt;
    out.r[k][k] = length;
    for (double& value : rest) value /= length;
    out.q.push_back(std::move(rest));
  }
  return out;
}

/// r x = b for each row of q as b: by row of the result, the weights of the values in one coefficient.
std::vector<std::vector<double>> weights_of(const Orthogonal& of) {
  std::vector<std::vector<double>> weights = of.q;
  for (std::size_t k = of.q.size(); k-- > 0;)
    for (std::size_t j = 0; j < weights[k].size(); ++j) {
      for (std::size_t i = k + 1; i < of.q.size(); ++i) weights[k][j] -= of.r[k][i] * weights[i][j];
      weights[k][j] /= of.r[k][k];
    }
  return weights;
}

}  // namespace

std::optional<Regression> regress(std::span<const double> y,
                                  const std::vector<std::vector<double>>& columns) {
  const std::size_t count = columns.size(), n = y.size();
  if (n < count + 2) return std::nullopt;
  std::vector<std::vector<double>> scaled;
  std::vector<double> lengths(count);
  for (std::size_t k = 0; k < count; ++k) scaled.push_back(standardised(columns[k], lengths[k]));
  const auto basis = orthogonal(scaled);
  if (!basis) return std::nullopt;

  Regression out;
  out.degrees = static_cast<double>(n - count - 1);
  double mean = 0;
  for (const double value : y) mean += value / static_cast<double>(n);
  std::vector<double> residuals, left;  // `left`: 1 less the leverage
  for (const double value : y) {
    residuals.push_back(value - mean);
    left.push_back(1 - 1 / static_cast<double>(n));
  }
  for (const std::vector<double>& q : basis->q) {
    const double along = product(q, residuals);
    for (std::size_t j = 0; j < n; ++j) {
      residuals[j] -= along * q[j];
      left[j] -= q[j] * q[j];
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    out.squares.push_back(left[j] > kSmallest ? residuals[j] * residuals[j] / left[j] : 0);
  const std::vector<std::vector<double>> weights = weights_of(*basis);
  for (std::size_t k = 0; k < count; ++k) {
    double variance = 0;
    for (std::size_t j = 0; j < n; ++j)
      if (left[j] > kSmallest) variance += weights[k][j] * weights[k][j] * out.squares[j] / left[j];
    out.coefficients.push_back(
        {.value = product(weights[k], y) / lengths[k], .error = std::sqrt(variance) / lengths[k]});
  }
  return out;
}

}  // namespace gauntlet
