// Levers in the order of what they gain, each measured against the scenario as given under the same faults.
//
// A gain is the difference of a ratio of totals over paired replicas (study/paired.hpp), both with their controls. Time and cost are
// those of the work of a run as given, tokens those of its wall time, so that a lever gains the same thing whether runs have an amount
// of work or a window to look at.
//
// The study looks at its replicas up to `looks` times, with twice as many each time, and stops once the order of the first
// `claimed` levers is certain. Only levers that are still hard to tell apart take part in the next look. Whatever decides when
// to stop, what is said holds:
//
// - Each interval has the level 1 - 0.05 / looks at each look, so that it holds the truth at all of them with 95%.
// - A lever certainly gains, or loses, where a one-sided test says so at the level 0.05 / (2 x levers x looks). So all levers
//   that are said to gain or to lose do so with 95% (Bonferroni).
// - A lever stands certainly above another where a one-sided test of their paired difference says so at the level
//   0.05 / (pairs x looks), with all pairs of levers. Of a pair one order at most is wrong. So all orders that are said, at
//   all looks, are right together with 95%, whichever levers they are about. Of two that have run unequally often, tests at half
//   that level have to say that one gains more than the middle between their gains, and the other less. Two that a look
//   has told apart are not tested again. If a later look finds their gains the other way round, their order is not certain.
// - Such tests lie far out in the tails, where few events make Student's t wrong by factors. They are corrected for skewness
//   (study/levers/larger_mean.hpp). A lever that does not certainly gain or lose has no place: what is certain is certain among
//   those that do. One that gained the same in every replica, where events are possible and none was seen, is unmeasured.
#pragma once

#include "study/experiment.hpp"
#include "study/levers/levers.hpp"
#include "study/point.hpp"
#include "study/summary/lever_ranking.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

struct RankTerms {
  std::uint32_t replicas = 100;  // of every lever, at the first look
  std::uint32_t looks = 1;       // at most; one: so many replicas and no more
  std::uint32_t claimed = 5;     // first levers whose order is asked for
};

/// Of the point `base`, which is `source` itself. Levers that are not a scenario are untried; those whose settings another
/// setting leaves without effect (says_no_effect()) are left out. Stopped, it is marked `interrupted` and has the levers of the
/// last look that was complete.
LeverRanking rank_levers(Experiment& experiment, const PointSource& source, PointNumber base,
                         const std::vector<Lever>& levers, const RankTerms& terms);

}  // namespace gauntlet
