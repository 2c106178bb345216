// Exchangeable components whose failures come as one superposed process: when, then which.
//
// N components of one law need no N clocks. Their first failure times, in order, are drawn one after the
// other: with m components left, the cumulative hazard at the next failure exceeds that at the present by an
// exponential of mean 1/m (Renyi 1953: the order statistics of exponentials have independent spacings, and
// H(T) is exponential). Which of the m it is, is uniform and independent of when. So cost and memory follow
// the failures, not N.
#pragma once

#include "core/random/law.hpp"
#include "core/random/sparse_permutation.hpp"
#include "core/random/stream.hpp"

#include <cstdint>

namespace gauntlet {

/// How old the components of a population are when its clock starts: all new, or each somewhere in the middle
/// of an endless succession of lives.
enum class Ages { fresh, stationary };

/// The first failures of N exchangeable components. Times are seconds on the population's own clock, which
/// starts at zero. A component that has failed is gone from here: its later lives are `law().sample` from a
/// stream of its own.
class Population {
 public:
  /// Ages::stationary needs a law of finite mean; with an infinite one nothing ever fails.
  Population(Law law, Ages ages, std::uint64_t count, Stream stream);

  /// When the next component fails; infinity where none is left (or none ever will).
  double next_time() const { return next_time_; }

  /// The component, in [0, count), that fails at next_time(), which must be finite. Advances to the failure
  /// after it.
  std::uint64_t take();

  /// A component that has not failed leaves at `now` as a survivor: it was powered off and its clock stops.
  /// The pending failure is drawn anew among the rest, given that they too survived to `now`; nothing else
  /// about them had been revealed, so this is exact. Requires contains(component) and last failure <= now <=
  /// next_time().
  void remove(std::uint64_t component, double now);

  /// What is left of the first life of a component of this population that survived to `age_on_clock`; one
  /// draw.
  double residual_after(double age_on_clock, Stream& stream) const;

  /// Whether the component has neither failed nor been removed.
  bool contains(std::uint64_t component) const { return order_.position_of(component) < remaining_; }

  /// The hazard that the components have met on this clock up to `now`, summed over those that were here, so how many
  /// failures to expect. The failures taken less this are a martingale of mean zero, whoever is removed and when. Of a law
  /// that has a density (Law::has_density). Requires last failure or removal <= now <= next_time().
  double compensator(double now) const {
    return remaining_ == 0 ? met_ : met_ + static_cast<double>(remaining_) * (hazard_at(now) - met_to_);
  }
  /// What one component that is still here meets from `from` to `to`.
  double hazard_between(double from, double to) const { return hazard_at(to) - hazard_at(from); }

  std::uint64_t remaining() const { return remaining_; }
  const Law& law() const { return law_; }
  Ages ages() const { return ages_; }

 private:
  std::uint64_t pop(std::uint64_t position);
  void meet(double hazard);
  void draw_next(double hazard_now, double now);
  double hazard_at(double t) const;

  Law law_;
  Ages ages_;
  Stream stream_;
  SparsePermutation order_;  // positions below remaining_ hold the components still here
  std::uint64_t remaining_;
  double next_hazard_ = 0;
  double next_time_ = 0;
  double met_ = 0,
         met_to_ = 0;  // the compensator, and the hazard of one component, when one was last taken or removed
};

/// N components of an exponential law that are renewed at once when they fail: a Poisson process of rate N /
/// mean at all times. It does not depend on what a policy does, so policies compared on one seed meet the same
/// failures.
class PoissonPopulation {
 public:
  /// mean_life > 0 in seconds, of one component.
  PoissonPopulation(double mean_life, std::uint64_t count, Stream stream);

  /// When the next failure strikes; infinity where count is zero.
  double next_time() const { return next_time_; }

  /// The component, in [0, count), that it strikes; next_time() must be finite. Advances to the failure after
  /// it.
  std::uint64_t take();

  /// How many failures to expect up to `now`.
  double compensator(double now) const { return now / mean_gap_; }

 private:
  Stream stream_;
  std::uint64_t count_;
  double mean_gap_;
  double next_time_;
};

}  // namespace gauntlet
