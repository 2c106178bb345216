// The 95% intervals of `plan --uncertainty`, many times over.
#pragma once

#include "commands/validate/coverage/question.hpp"
#include "commands/validate/coverage/result.hpp"

namespace gauntlet {

/// How often they are repeated beside so many repetitions of the other intervals: a tenth as often, as each takes a whole plan.
UncertainRepetitions uncertain_repetitions(const CoverageQuestion& question);

/// Adds the figures with parameter uncertainty of a shipped scenario, where its study.uncertain names something. The work is that of
/// the scenario, or else what a quarter of its window trains without faults. A repetition is a study with a seed of its own.
///
/// An interval of a mean is held to the mean at the true parameters, which are one more draw. The share of runs that are done by
/// the date, and the percentiles of the finish, are of parameters and runs: their intervals are held to the runs of all repetitions
/// together. The date is the one by which 80% of the runs with the parameters as given are done.
///
/// False where it was interrupted.
bool cover_uncertainty(const CoverageQuestion& question, const UncertainRepetitions& repetitions,
                       CoveredScenario& scenario);

}  // namespace gauntlet
