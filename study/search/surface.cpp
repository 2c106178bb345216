#include "study/search/surface.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"

// Sums in one order on every machine: no vectors of a width that the processor chooses.
#define EIGEN_DONT_VECTORIZE
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// How many values an axis has that are apart by more than rounding.
std::size_t levels(std::span<const Position> points, std::size_t axis) {
  constexpr double kApart = 1e-6;
  std::vector<double> values;
  for (const Position& point : points) values.push_back(point[axis]);
  std::sort(values.begin(), values.end());
  std::size_t count = 1;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] - values[i - 1] > kApart ? 1 : 0;
  return count;
}

}  // namespace

Surface::Distance::Distance(double z) : z(z) {
  const double up = math_expm1(z), down = math_expm1(-z);
  sinh = (up - down) / 2;
  cosh_less_one = (up + down) / 2;
}

double Surface::Term::of(std::span<const Distance> from) const {
  const Distance& here = from[axis];
  switch (shape) {
    case Shape::slope:
      return here.sinh;
    case Shape::bowl:
      return here.cosh_less_one;
    case Shape::bend:
      return here.sinh * here.cosh_less_one;
    case Shape::product:
      return here.z * from[other].z;
  }
  return 0;
}

std::vector<Surface::Distance> Surface::distances(const Position& point) const {
  std::vector<Distance> out;
  out.reserve(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) out.emplace_back(point[i] - centre_[i]);
  return out;
}

double Surface::at(const Position& point) const {
  const std::vector<Distance> from = distances(point);
  double value = coefficients_[0];
  for (std::size_t i = 0; i < terms_.size(); ++i) value += coefficients_[i + 1] * terms_[i].of(from);
  return value;
}

SurfaceFitter::SurfaceFitter(std::span<const Position> points, Position centre) : points_(points.size()) {
  using Shape = Surface::Term::Shape;
  expect(!points.empty(), "a surface goes through points");
  const std::size_t axes = centre.size();
  std::vector<std::size_t> different(axes);
  for (std::size_t i = 0; i < axes; ++i) different[i] = levels(points, i);
  // The plainest first, each kind for all axes or for none; a point more than terms, so that noise is averaged.
  const auto add = [&](const std::vector<Surface::Term>& terms) {
    if (shape_.terms_.size() + terms.size() + 2 > points.size()) return;
    shape_.terms_.insert(shape_.terms_.end(), terms.begin(), terms.end());
  };
  const auto of_axes = [&](Shape shape, std::size_t fewest_levels) {
    std::vector<Surface::Term> terms;
    for (std::size_t i = 0; i < axes; ++i)
      if (different[i] >= fewest_levels) terms.push_back({.shape = shape, .axis = i, .other = i});
    return terms;
  };
  add(of_axes(Shape::slope, 2));
  add(of_axes(Shape::bowl, 3));
  std::vector<Surface::Term> products;
  for (std::size_t i = 0; i < axes; ++i)
    for (std::size_t j = i + 1; j < axes; ++j)
      if (different[i] > 1 && different[j] > 1)
        products.push_back({.shape = Shape::product, .axis = i, .other = j});
  add(products);
  add(of_axes(Shape::bend, 5));
  shape_.centre_ = std::move(centre);

  const auto rows = static_cast<Eigen::Index>(points.size());
  const auto columns = static_cast<Eigen::Index>(terms());
  Eigen::MatrixXd design(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const std::vector<Surface::Distance> from = shape_.distances(points[static_cast<std::size_t>(row)]);
    design(row, 0) = 1;
    for (Eigen::Index column = 1; column < columns; ++column)
      design(row, column) = shape_.terms_[static_cast<std::size_t>(column) - 1].of(from);
  }
  // A column at a time, whose sums no cache size splits.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(design);
  solution_.resize(terms() * points_);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(rows, row);
    const Eigen::VectorXd column = decomposed.solve(unit);
    for (Eigen::Index term = 0; term < columns; ++term)
      solution_[static_cast<std::size_t>(term) * points_ + static_cast<std::size_t>(row)] = column(term);
  }
}

Surface SurfaceFitter::fit(std::span<const double> values) const {
  expect(values.size() == points_, "every point has a value");
  Surface surface = shape_;
  for (std::size_t term = 0; term < terms(); ++term) {
    double sum = 0;
    for (std::size_t i = 0; i < points_; ++i) sum += solution_[term * points_ + i] * values[i];
    surface.coefficients_.push_back(sum);
  }
  return surface;
}

}  // namespace gauntlet
