// The closed forms that the oracles hold the simulator to. Times are in any one unit.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

/// A segment: `work` of training and the checkpoint that closes it, under exponential failures of mean time `mtbf` between
/// them, each costing the downtime `down` and then a restart.
struct SegmentPoint {
  double work = 0, checkpoint = 0, mtbf = 1, down = 0, restart = 0;
};

/// Mean time of a segment where failures strike training, checkpoints and restarts, never the downtime:
/// exp(R/M) (M + D) (exp((tau + C)/M) - 1). J. T. Daly, FGCS 22(3), 2006, complete model, with a downtime added.
double segment_time(const SegmentPoint& of);
/// Mean time of the first start there: M (exp(R/M) - 1) until a restart has passed without a failure, and its downtimes.
double first_start_time(const SegmentPoint& of);

/// The same where they strike training and checkpoints alone: each costs D + R, so (M + D + R) (exp((tau + C)/M) - 1).
double segment_time_on_training_clock(const SegmentPoint& of);

/// Two levels of checkpoints. A period of `work` is cut into `segments` of equal length, each closed by a checkpoint of
/// `quick`, but the last by one of `safe` alone. Failures of rate `light` fall back to the last checkpoint, those of rate
/// `grave` to the last safe one; both strike training and checkpoints, and restarts cost nothing.
struct TwoLevelPoint {
  double quick = 0, safe = 0;
  double light = 0, grave = 0;
  double work = 0;
  std::uint32_t segments = 1;
};
/// Mean time of a period, exact: with s_i the time of segment i undisturbed and l = light + grave, an attempt lasts
/// (1 - exp(-l s_i)) / l in the mean, and T_i = attempt + exp(-l s_i) T_(i+1) + (1 - exp(-l s_i)) (light T_i + grave T_0) / l.
double two_level_period(const TwoLevelPoint& of);
/// The same of the last period of a job, after which nothing is written.
double two_level_last_period(const TwoLevelPoint& of);

/// Share of the time in which more than `spares` of `active` + `spares` hosts are out, where none fails while that is so.
/// The active ones fail at rate `failure` each, the spares never; `crews` technicians repair at rate `repair` each.
/// D. R. Cox, W. L. Smith, "Queues", 1961, sec. 2.9 (machine interference): p(k+1) / p(k) = active failure / (min(k + 1, crews) repair).
double stall_with_crews(std::uint32_t active, std::uint32_t spares, std::uint32_t crews, double failure,
                        double repair);

/// Machines that fail at rate `failure` each whenever they are up, whether they carry the job, stand by or wait with it;
/// `crews` technicians repair at rate `repair` each. The shares of the time in which 0, 1, ... `machines` are out.
/// Cox and Smith, 1961, sec. 2.9: p(k+1) / p(k) = (machines - k) failure / (min(k + 1, crews) repair).
std::vector<double> machines_out(std::uint32_t machines, std::uint32_t crews, double failure, double repair);

/// Share of the time in which a job of `active` hosts waits. One more host is idle, and at a failure it is set up at rate `setup`; a host
/// that is back from repair before then is taken at once, and is idle where none is wanted. All of them fail at rate `failure`
/// whenever they are up, and each is repaired at rate `repair`. The chain of (hosts out, whether the idle host is up
/// and not in the job), solved exactly.
double stall_with_an_idle_spare(std::uint32_t active, double failure, double repair, double setup);

/// The probability that every group of `copies` hosts or one more has a host left (models/storage/peer_memory.hpp) where any `lost` of the hosts
/// are lost at once, each set of so many as likely as any other. Exact; GEMINI's corollary 1,
/// https://doi.org/10.1145/3600006.3613145, is a bound below it, max(0, 1 - n C(n - m, k - m) / (m C(n, k))), which it meets while k < 2m.
double peer_recovery_probability(std::uint32_t hosts, std::uint32_t copies, std::uint32_t lost);

/// Coefficient of variation squared of a Weibull law: Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 - 1.
double weibull_cv2(double shape);

/// Variance of the number of renewals in `lives` mean lives of a stationary Weibull process, without terms that vanish as they
/// grow: CV^2 lives + 1/6 + CV^4/2 - m3/3, m3 the third central moment over the cube of the mean. D. R. Cox, "Renewal
/// Theory", 1962, sec. 4.5.
double weibull_count_variance(double shape, double lives);

/// Mean and variance of the number of renewals within `lives` mean lives of new components whose life is a gamma law of shape 2:
/// half the events of a Poisson process of twice the rate, rounded down. Exact.
struct CountMoments {
  double mean = 0, variance = 0;
};
CountMoments erlang2_counts(double lives);

}  // namespace gauntlet
