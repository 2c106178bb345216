#include "study/controls.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gauntlet {
namespace {

// Of the length of a control, what is left of it beside those before it; below that it is their sum with rounding.
constexpr double kLeastNew = 1e-6;
// The variance of a compensated count is the number of strikes to be expected, so the sum of its squares over all replicas is about the
// number of all strikes. Of fewer, one or two replicas would decide its coefficient, and hide their own scatter in it. The work of a strike
// is a share whose square is a third in the mean, so that it takes three times as many.
constexpr double kFewestStrikes = 10;
// Newton's method doubles the digits at each step, once near; halved steps bring it near.
constexpr int kMostSteps = 60;
constexpr double kExact = 1e-12;  // of a weighted mean, in standard deviations
// A replica that weighs nine tenths of all decides nearly alone, and then controls are left out. A lower limit leaves them out more often, and
// does so where chance was far from what was expected. There a plain interval misses the value most often: with a limit of a quarter and 10
// replicas 92% of the intervals of tests/study/levers/measures_test.cpp hold it.
constexpr double kMostWeight = 0.9;

/// A column of each control: beside their means orthonormal, and the mean in the same coordinates.
struct Basis {
  std::vector<std::vector<double>> columns;
  std::vector<double> means;
  std::vector<std::uint32_t> controls;  // which ones they are of
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Gram and Schmidt, twice, which is enough for orthogonality to rounding (Giraud, Langou, Rozloznik, Computers and Mathematics with
/// Applications 50(7), 2005, https://doi.org/10.1016/j.camwa.2005.08.009).
Basis orthonormal(std::span<const double> counts, std::size_t each) {
  const std::size_t replicas = counts.size() / each;
  Basis basis;
  for (std::size_t control = 0; control < each; ++control) {
    std::vector<double> column(replicas);
    double mean = 0;
    for (std::size_t i = 0; i < replicas; ++i) {
      column[i] = counts[i * each + control];
      mean += (column[i] - mean) / static_cast<double>(i + 1);
    }
    for (double& value : column) value -= mean;
    const double whole = std::sqrt(dot(column, column));
    if (!(whole * whole >= kFewestStrikes)) continue;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t before = 0; before < basis.columns.size(); ++before) {
        const double part = dot(basis.columns[before], column);
        for (std::size_t i = 0; i < replicas; ++i) column[i] -= part * basis.columns[before][i];
        mean -= part * basis.means[before];
      }
    const double length = std::sqrt(dot(column, column));
    if (!(length > kLeastNew * whole)) continue;
    for (double& value : column) value /= length;
    basis.columns.push_back(std::move(column));
    basis.means.push_back(mean / length);
    basis.controls.push_back(static_cast<std::uint32_t>(control));
  }
  return basis;
}

using Vector = std::array<double, kMostControls>;
using Matrix = std::array<Vector, kMostControls>;

/// Solves a x = b of a symmetric positive matrix by Cholesky's factors; nothing where it is not positive.
std::optional<Vector> solved(Matrix a, Vector b, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j && !(sum > 0)) return std::nullopt;
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// The weights exp(tilt . x) by which the weighted mean of every control is zero: the minimum over `tilt` of the convex log of
/// their sum, by Newton's method with halved steps. `size`: of the first controls.
class Tilting {
 public:
  Tilting(const Basis& basis, std::size_t size)
      : basis_(&basis),
        size_(size),
        replicas_(basis.columns.front().size()),
        exponents_(replicas_),
        weights_(replicas_) {}

  std::optional<std::vector<double>> weights() {
    Vector tilt{};
    double at = look(tilt);
    for (int step = 0; step < kMostSteps; ++step) {
      if (is_zero()) break;
      const std::optional<Vector> newton = solved(scatter_, mean_, size_);
      if (!newton) return std::nullopt;
      double length = 1;
      Vector next{};
      while (true) {
        for (std::size_t k = 0; k < size_; ++k) next[k] = tilt[k] - length * (*newton)[k];
        const double there = look(next);
        if (there <= at + kExact || length < kLeastNew) {  // near the minimum the sum has rounding alone
          at = there;
          break;
        }
        length /= 2;
      }
      tilt = next;
    }
    if (!is_zero() || *std::max_element(weights_.begin(), weights_.end()) > kMostWeight) return std::nullopt;
    for (double& weight : weights_) weight *= static_cast<double>(replicas_);
    return std::move(weights_);
  }

 private:
  // In standard deviations of a control.
  double value(std::size_t replica, std::size_t control) const {
    return (basis_->columns[control][replica] + basis_->means[control]) *
           std::sqrt(static_cast<double>(replicas_));
  }
  bool is_zero() const {
    return std::all_of(mean_.begin(), mean_.begin() + static_cast<std::ptrdiff_t>(size_),
                       [](double each) { return std::abs(each) < kExact; });
  }

  /// The log of the sum, and with it weights that add up to 1, and the mean and the scatter of the controls under them.
  double look(const Vector& tilt) {
    double most = -HUGE_VAL, sum = 0;
    for (std::size_t i = 0; i < replicas_; ++i) {
      exponents_[i] = 0;
      for (std::size_t k = 0; k < size_; ++k) exponents_[i] += tilt[k] * value(i, k);
      most = std::max(most, exponents_[i]);
    }
    for (std::size_t i = 0; i < replicas_; ++i) sum += weights_[i] = math_exp(exponents_[i] - most);
    mean_ = {};
    scatter_ = {};
    for (std::size_t i = 0; i < replicas_; ++i) {
      weights_[i] /= sum;
      for (std::size_t k = 0; k < size_; ++k) mean_[k] += weights_[i] * value(i, k);
    }
    for (std::size_t i = 0; i < replicas_; ++i)
      for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t l = 0; l <= k; ++l)
          scatter_[k][l] += weights_[i] * (value(i, k) - mean_[k]) * (value(i, l) - mean_[l]);
    return most + math_log(sum);
  }

  const Basis* basis_;
  std::size_t size_, replicas_;
  std::vector<double> exponents_, weights_;
  Vector mean_{};
  Matrix scatter_{};
};

}  // namespace

void add_controls(const ScenarioFacts& facts, std::size_t borne, const Figures& figures,
                  std::vector<double>& counts) {
  for (std::size_t control = 0; control < borne; ++control) {
    const std::vector<std::uint32_t>& kinds = facts.controls[control];
    double sum = kinds.empty() ? figures.compensated_work : 0;
    for (const std::uint32_t kind : kinds) sum += figures.compensated[kind];
    counts.push_back(sum);
  }
}

Controls::Controls(std::span<const double> counts, std::size_t each) {
  if (each == 0) return;
  expect(counts.size() % each == 0, "every replica has its controls");
  const Basis basis = orthonormal(counts, each);
  for (std::size_t size = std::min(basis.columns.size(), kMostControls); size > 0; --size) {
    std::optional<std::vector<double>> weights = Tilting(basis, size).weights();
    if (!weights) continue;
    auto data = std::make_shared<Data>();
    data->used.assign(basis.controls.begin(), basis.controls.begin() + static_cast<std::ptrdiff_t>(size));
    data->weights = std::move(*weights);
    data->coordinates.reserve(data->weights.size() * size);
    for (std::size_t i = 0; i < data->weights.size(); ++i) {
      double leverage = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const double coordinate = basis.columns[k][i];
        data->coordinates.push_back(coordinate);
        leverage += coordinate * coordinate;
      }
      data->leverages.push_back(leverage);
    }
    data_ = std::move(data);
    return;
  }
}

}  // namespace gauntlet
