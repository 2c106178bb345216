// A response surface: a smooth curve through noisy figures of points, in the logarithms of their settings.
//
// Along each axis it holds 1, sinh z and cosh z - 1 of the distance z from a centre: just what costs that grow with a
// setting and costs that fall with it are made of, a e^-z + b e^z + c (checkpoints and recomputing, with a checkpoint
// interval), and near the centre a parabola. sinh z (cosh z - 1) follows what bends otherwise, and z1 z2 how two settings
// depend on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gauntlet {

using Position = std::vector<double>;

/// One fitted response. A regular value.
class Surface {
 public:
  double at(const Position& point) const;

 private:
  friend class SurfaceFitter;
  /// From the centre, along one axis.
  struct Distance {
    explicit Distance(double z);
    double z, sinh, cosh_less_one;
  };
  struct Term {
    enum class Shape : std::uint8_t { slope, bowl, bend, product } shape;
    std::size_t axis = 0, other = 0;  // the second of a product
    double of(std::span<const Distance> from) const;
  };
  std::vector<Distance> distances(const Position& point) const;

  Position centre_;
  std::vector<Term> terms_;
  std::vector<double> coefficients_;  // of 1, then of the terms
};

/// Least squares over a fixed set of points, for as many sets of figures as wanted: the solution is one matrix.
class SurfaceFitter {
 public:
  /// At least one point; all of as many coordinates as the centre. An axis has only as many terms as it has different
  /// values to tell them apart; products and bends are left out where the points are too few for them.
  SurfaceFitter(std::span<const Position> points, Position centre);

  /// The surface nearest to these values, one for each point.
  Surface fit(std::span<const double> values) const;
  std::size_t terms() const { return shape_.terms_.size() + 1; }

 private:
  Surface shape_;  // without coefficients
  std::size_t points_ = 0;
  std::vector<double> solution_;  // by row: terms x points
};

}  // namespace gauntlet
