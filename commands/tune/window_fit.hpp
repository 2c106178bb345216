// The best point as a window of trials shows it: surfaces through the trials' figures, the lowest point of them, and how
// far chance may have moved it.
//
// Chance: replicas are drawn again, with replacement, the same numbers for all trials, since replica i met the same faults
// in all of them; surfaces and their lowest point follow anew (the bootstrap: B. Efron, R. Tibshirani, "An Introduction to
// the Bootstrap", 1993, chapters 6 and 13). The percentiles of those points are the interval. Where chance is as large as
// the bend of the curve they cover too little, so the interval also holds every place around the best one at which the
// slope may be zero: within 1.96 of its standard errors (as E. C. Fieller, "Some problems in interval estimation", J. R.
// Stat. Soc. B 16(2), 1954, https://doi.org/10.1111/j.2517-6161.1954.tb00159.x).
#pragma once

#include "commands/tune/trials.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// What surfaces are drawn through.
struct Window {
  std::vector<std::size_t> trials;  // each has run `replicas` at least
  std::uint32_t replicas = 0;
  Position centre;
  Box box;                      // the lowest point is looked for in here
  double scale = 1;             // losses are counted in it: what Trials::scale says
  std::vector<double> margins;  // by bound: how far inside to stay, in shares of the limit; none: zero
};

inline constexpr double kShrink = 0.6;          // of a window, where its best point is within
inline constexpr double kRounding = 1e-3;       // of a logarithm: what is nearer is the same place
inline constexpr std::uint32_t kRedraws = 400;  // bootstrap samples for what is said; a search takes fewer

class WindowFit {
 public:
  /// Redraws replicas by the stream (seed, "tune.bootstrap").
  WindowFit(const Trials& trials, Window window, std::uint64_t seed);

  /// The lowest point, all replicas counted once.
  const Position& best() const { return best_; }
  /// The loss there above that at the window's lowest point: in shares of the scale.
  double excess(const Position& at) const { return loss_.at(at) - loss_.at(best_); }
  /// Whether the bounds' surfaces are met there.
  bool meets(const Position& at) const;

  struct Chance {
    double regret = 0;  // with 95%, `at` loses at most so much more than the best point
    double gain = 0;    // 95% of redrawn worlds gain at least so much from `from` to `at`
  };
  /// Of the first `redraws` bootstrap samples.
  Chance chance(const Position& at, const Position& from, std::uint32_t redraws) const;
  /// By axis: 95% of where the best point is, of the same samples.
  std::vector<Interval> interval(std::uint32_t redraws) const;

 private:
  struct Surfaces {
    Surface loss;
    std::vector<Surface> bounds;  // at most zero where met
  };
  /// `picks`: the replicas to count; empty: each once.
  Surfaces surfaces(std::span<const std::uint32_t> picks) const;
  Position lowest_of(const Surfaces& of, std::span<const Position> starts) const;
  /// A bootstrap sample.
  struct World {
    Surfaces surfaces;
    Position lowest;
  };
  /// The first so many. They are kept: every question is about the same ones. Valid until more are asked for.
  std::span<const World> worlds(std::uint32_t redraws) const;
  /// Whether the loss may be lowest there along the axis: its slope is zero but for chance, or points out of the box.
  bool may_be_lowest(std::span<const World> worlds, std::size_t axis, double at) const;
  double farthest(std::span<const World> worlds, std::size_t axis, double end) const;

  const Trials* trials_;
  Window window_;
  std::uint64_t seed_;
  SurfaceFitter fitter_;
  std::vector<double> spreads_;  // by bound: how far its figures lie apart
  std::vector<Position> starts_;
  std::vector<Surface> bounds_;
  Surface loss_;
  Position best_;
  mutable std::vector<World> worlds_;
};

}  // namespace gauntlet
