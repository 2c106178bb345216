// Which values along a field chance may have put behind the best one: the trials of its curve, compared in pairs.
//
// A trial is told apart where the lower end of its paired difference to a reference is above zero, by a one-sided test at the level 0.05 / (k - 1)
// of k trials. Let the reference be the trial that lost least. The true best of the k is then told apart only if one of the k - 1 others seems to be
// better than it by such a test. So with 95% it is among those that are not told apart, whichever the reference is (multiple comparisons with the
// best: J. C. Hsu, "Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best", Annals of Statistics 12(3), 1984,
// pp. 1136-1144; with Bonferroni's inequality in place of the joint distribution).
//
// That is the interval of a whole-number field: its values are few, and what it costs has no smooth curve. With too few spare hosts a job waits for
// repairs, and from some number on one more has no effect. A surface bends through such a kink, and its lowest point is no estimate of the best value.
// A value that has not run is taken to be worse than the best one where a trial between them is told apart: the cost has one valley (assumption). The
// level is that of one look, though a curve gets more replicas until its rows tell what is flat (tests/commands/tune/tune_whole_test.cpp has how often
// the interval holds).
#pragma once

#include "commands/tune/result.hpp"
#include "commands/tune/search.hpp"
#include "commands/tune/trials.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class RowComparison {
 public:
  /// `curve`: trials along `axis`, from low to high. `reference`: one of them. The references must outlive it.
  RowComparison(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                std::size_t axis, std::size_t reference, std::vector<std::size_t> curve);

  /// Than the reference, over the replicas that are reported. Its interval has the level of the whole comparison.
  PairedDifference worse(std::size_t trial) const;
  /// A wall, one that clearly breaks a bound, or one that is worse than chance explains. Not one that has not run.
  bool is_told_apart(std::size_t trial) const;
  /// Whether a trial beside the reference has run.
  bool compares() const { return ran_ > 1; }
  /// The outermost trials that are not told apart; nothing where that is the reference alone.
  std::optional<ValueSpan> alike() const;
  /// The trials between those that are told apart all the same.
  std::vector<std::string> exceptions() const;
  /// 95% of where the best value of a whole-number field is: up to the nearest trials that are told apart, as values between that
  /// have not run may be the best. Nothing where no other has run.
  std::optional<ValueSpan> interval() const;
  /// Values of a whole-number field in that interval that have no trial: all of them, or at most `most` (from 2 on) evenly spaced ones.
  std::vector<std::string> untried(std::size_t most) const;
  /// How much less another value of a whole-number field loses at most, with 95%, in shares of the loss; infinite where one that may be the
  /// best has not run.
  double saving() const;

 private:
  struct Ends {
    std::size_t low, high;  // positions in the curve
  };
  Ends ends() const;
  /// The whole numbers of interval().
  Interval between() const;
  bool all_have_run() const;
  double number(std::size_t trial) const;

  const Trials* trials_;
  const TuneSearch* search_;
  const SearchOutcome* outcome_;
  std::size_t axis_, reference_;
  std::vector<std::size_t> curve_;
  std::size_t ran_ = 0;  // trials, the reference included
  double chance_ = 0;    // level of each test
};

/// The trial of a curve that lost least over the replicas that are reported. Those that meet the bounds come first.
std::size_t lowest_row(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                       const std::vector<std::size_t>& curve);

}  // namespace gauntlet
