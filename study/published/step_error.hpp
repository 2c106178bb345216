// How far a modelled step time may be off: the errors of the step model on published steps that none of its constants was
// fitted on (models/calibration/published.csv).
//
// With x the logarithm of the published over the modelled time of such a step, the job's own x is one more. Steps of one
// publication are of one cluster, one code and few models, so that their errors are alike: a publication counts once, by the
// means of x and of its squares over its steps. Few publications are of one stack (three at most), so those of the other
// stacks are the prior: x is normal with mean m and variance v, with the conjugate prior of a mean m0 and a variance v0 of the
// others that are worth kPriorSources publications. One more x then has Student's T (Gelman et al., Bayesian Data
// Analysis, 3rd ed., 2013, sec. 3.3), so that the ratio is log-t: the fewer publications, the wider, and the longer its tails.
//
// The middle is not 1. Publications took longer than modelled by 9% on average (0.087 +- 0.032 in logarithms, 13 of them): the
// constants were fitted on rows of those who tuned a stack, which are its best.
#pragma once

#include "models/world/world.hpp"
#include "study/published/held_out.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// What the other stacks are worth beside the publications of a stack. Each of both would do: with a half or twice as many the ends
/// of any stack move by 8% at most.
inline constexpr double kPriorSources = 4;

/// What a step of the job takes over what the model says.
struct StepTimeError {
  std::string stack;                                 // of the job
  std::uint32_t steps = 0, sources = 0;              // of the stack: published steps, and publications
  std::uint32_t other_steps = 0, other_sources = 0;  // of the other stacks
  double low = 1, high = 1;                          // 5% and 95% values of the ratio
  double degrees = 1;  // of freedom of Student's T, which the logarithm of the ratio has
  /// What none of these steps has in common with the job: "ran on H200", "was of a mixture of experts".
  std::vector<std::string> beyond;
  double median() const;
  /// The ratio with the probability `p` below it (core/math/log_t.hpp).
  double at(double p) const;
};

/// Nothing where the other stacks have fewer than two publications.
std::optional<StepTimeError> step_time_error(std::span<const HeldOutStep> steps, const std::string& stack);

/// Nothing where the job's step time is a measured one.
std::optional<StepTimeError> step_time_error(const World& world);

/// "Published steps that no constant was fitted on took 1.10 times the modelled time, 0.86 to 1.41 times with 90% probability (9 steps of 2
/// publications with megatron-core, 35 steps of 11 publications with other stacks). None of them ran on H200."
std::string text_of(const StepTimeError& error);

/// The same, without its sources, in a line for a report that does not include the error: "The step time is modelled. Published steps took ...".
std::string line_of(const StepTimeError& error);

}  // namespace gauntlet
