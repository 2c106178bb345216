// Finishing times of a plan that was not drawn itself: every run of it, moved by what every draw did to another plan. A
// search asks this of many plans; what it finds is drawn itself (uncertainty.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// What each draw does to the finishing times of a point, against replicas of the point as given under the same faults.
struct FinishEffects {
  std::vector<double> longer =
      {};                        // by how much longer the work takes without faults, as a share of that time
  std::vector<double> moved_by;  // seconds later beyond that, of the replicas that finish in both
  std::vector<double>
      more_never;    // how much larger the share of replicas that never finish is; negative: smaller
  double never = 0;  // that share of all replicas of the point as given
  double more_never_error = 0;  // standard error that the replicas leave to the mean of `more_never`
};

/// `as_given`: the finishing times of the point (seconds, infinite: never), as many as of all draws; those under the faults
/// of draw 0 first. `longer`: for each draw how many seconds more the work takes without faults than the `healthy` ones of the
/// point as given.
FinishEffects finish_effects(std::span<const double> as_given, std::span<const std::vector<double>> draws,
                             std::span<const double> longer = {}, double healthy = 0);

/// How large the effects are on a plan other than the one that they were measured on.
struct FinishScale {
  double healthy = 0;  // seconds of the work without faults
  double time = 1, never = 1;
};

/// The runs of a plan with what is not known: every run moved by every draw.
struct UncertainFinish {
  std::vector<double> runs;  // seconds; infinite for those that never finish
  std::size_t draws = 0;     // the runs of a draw follow each other
  double never_error = 0;    // of the share that never finishes
  /// How many finish within `by` seconds, and the variance that draws and runs leave to that share: of a mean over two
  /// samples, Lehmann, Ann. Math. Statist. 22(2), 1951, https://doi.org/10.1214/aoms/1177729639.
  struct Share {
    double value = 0, variance = 0;
  };
  Share share_by(double by) const;
};

/// Runs that never finish stay where they are, but for as many as the draw lets finish: these are like the others that do.
/// Where it makes more of them never finish, any may be among those.
UncertainFinish moved(std::span<const double> finish, const FinishEffects& effects, const FinishScale& scale);

}  // namespace gauntlet
