// How tune looks for the best point: it explores, races, closes in, and names what it found.
//
// 1. Explore: points all over the ranges (one field: evenly spaced on a log axis; several: a Latin hypercube, with today's
//    point) meet the same few replicas. Race: those that are clearly worse than the best by a paired test, corrected for
//    how many there are, and those that clearly break a bound get no more; the others get twice as many, and again.
// 2. Close in: around the best point a window of trials along each axis and between axes is run, surfaces are fitted
//    through their figures (window_fit.hpp), and the window moves to the surface's lowest point, or shrinks around it.
//    Where the scenario refuses a value, or the loss is half as large again (beyond a cliff: a timeout shorter than a
//    step), is a wall: the search stays on this side of the middle between the wall and the nearest good point. A default
//    range whose end is best goes on. A wide window takes half the replicas: it only shows where to go on.
// 3. Stop: the replicas of the window double until a redrawn world would lose, with 95%, at most 0.5% of the loss by the
//    point that is named; or until the budget is spent.
// 4. Name: the lowest point in the digits that people use (the better whole numbers), run as often as the window. It must
//    meet the bounds with its own replicas, and no trial may be clearly better; else the search goes on closer. Where the
//    budget leaves the surface so uncertain that this point may lose more than kFlat, the trial of the window that did
//    best is named instead: an uncertain surface is lowest at its ends.
//
// Every decision follows from the replicas' figures, so that a search that was killed goes the same way again.
#pragma once

#include "commands/tune/trials.hpp"
#include "commands/tune/window_fit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// How much of the loss more makes a wall.
inline constexpr double kWall = 0.5;

struct SearchOutcome {
  enum class End { settled, budget, stopped };
  End end = End::settled;
  std::size_t today = 0;            // the scenario as it is
  std::optional<std::size_t> best;  // nothing where no trial could be run
  bool meets = false;               // the bounds
  std::optional<WindowFit> fit;     // none where too little could be run
  std::vector<Interval> fitted;     // by axis: 95% of where the best point of the window is
  std::vector<Interval> interval;   // by axis: 95% of where the best point is
  double regret = 0;                // of `regret_of`, the best: in shares of the loss, at most, with 95%
  std::optional<std::size_t> regret_of;
  Window window;  // of the fit
  /// By axis: the value of the lowest point found, where another one is named because it is flat between them.
  std::vector<std::string> lowest;
  double lowest_regret = 0;  // of that point, whole-number fields staying as they are
  /// All trials that a field's curve shows have so many replicas at least, walls apart: what is reported of them is of
  /// these. 0 where no curve was run.
  std::uint32_t common_replicas = 0;
  /// Where the budget ended it: the replicas that its next step needed, those that it keeps for what follows included.
  std::uint64_t lacked = 0;
  std::uint32_t compared() const { return common_replicas > 0 ? common_replicas : Trials::kAllReplicas; }
};

class TuneSearch {
 public:
  /// `fields` are those of the trials; default ranges may grow. The references must outlive it.
  TuneSearch(Trials& trials, std::vector<TuneField>& fields, std::uint64_t seed);
  SearchOutcome run();

  /// Gives an outcome the regret and the intervals of the point that it names.
  void measure(SearchOutcome& outcome) const;
  /// The regret of the point that it names, by the surface, whole-number fields staying as they are.
  double regret_beside_whole(const SearchOutcome& outcome) const;
  /// Whether a trial lies where a value may be named: today's may lie outside of a range that was given.
  bool in_ranges(std::size_t trial) const;
  /// Whether this trial is refused, or loses half as much again as the best one.
  bool is_wall(std::size_t trial) const;
  struct Allowed {
    Box box;                                            // the ranges, less what lies beyond the walls
    std::vector<std::optional<std::size_t>> low, high;  // by axis: the wall at that end, a trial
  };
  Allowed allowed() const;

 private:
  using Run = Trials::Run;
  std::vector<std::size_t> first_points();
  Run race(std::vector<std::size_t> candidates);
  Run close_in();
  /// What to do after a window was fitted.
  enum class Next { again, more_replicas, name };
  Next look();
  /// Whether the window is still to shrink.
  bool is_wide() const;
  Run fill_window();
  std::vector<Position> wanted(const Box& box) const;
  /// Default ranges at whose end the best point lies; false where none could go on.
  bool extend_ranges(const Position& at);
  /// Names a trial near the lowest point; false where the search has to go on.
  bool name();
  std::vector<std::size_t> nameable(const Position& at);
  void tighten(std::size_t named);
  std::optional<std::size_t> clearly_better_than(std::size_t named) const;
  /// The trial of the window that lost least, walls and those that break a bound apart; else `otherwise`.
  std::size_t best_of_window(const Window& window, std::size_t otherwise) const;
  void measure_regret(SearchOutcome& outcome) const;
  /// By that surface; of the axes that `box` leaves open.
  double regret_at_best(const SearchOutcome& outcome, const WindowFit& fit, const Box& box) const;
  /// An end of an interval beyond what was fitted: as far as no trial along the axis is clearly worse.
  double not_worse_until(const SearchOutcome& outcome, std::size_t axis, double from, double end) const;
  void finish();
  /// The share of runs that may give up: as many as today, or as at the best where today's are clearly more.
  double baseline() const;
  /// The best of those that are still in the race, or today's where there is none.
  std::size_t best_trial() const;

  Trials* trials_;
  std::vector<TuneField>* fields_;
  std::uint64_t seed_;
  std::uint64_t reserve_ = 0;
  std::uint32_t replicas_ = 0;
  Position centre_, half_;
  Window filled_;  // that of the next fit
  std::vector<double> margins_;
  int misled_ = 0, tightened_ = 0;
  SearchOutcome out_;
};

}  // namespace gauntlet
