#include "commands/tune/profile.hpp"

#include "commands/tune/alike.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint32_t kCurveReplicas = 32, kMostOfCurve = 128;
constexpr std::uint32_t kWallReplicas = 16;
constexpr int kProfilePoints = 9;   // along each of several fields
constexpr double kTooSmall = 1e-4;  // of the loss: no difference that anyone would act on

/// Whether no trial along the field differs from the lowest one by more than chance, walls apart.
bool no_difference(const Trials& trials, const TuneSearch& search, std::size_t lowest,
                   const std::vector<std::size_t>& curve) {
  constexpr double kChance = 3;  // standard errors: a dozen trials are looked at
  std::size_t looked_at = 0;
  for (const std::size_t i : curve) {
    if (i == lowest || trials[i].replicas < 2 || search.is_wall(i)) continue;
    const PairedDifference worse = trials.worse_by(lowest, i);
    if (!worse.difference || !worse.se) return false;
    const double size = std::abs(*worse.difference), scale = trials.scale(lowest);
    if (size > kTooSmall * scale + kChance * *worse.se || size > kFlat * scale) return false;
    ++looked_at;
  }
  return looked_at > 0;
}

/// Whether the figures of a curve tell which trials are flat. A trial is known to be so, or not, where its interval does not hold kFlat. Where it
/// does, an interval that is narrow beside kFlat is enough. Walls do not count.
bool tells_what_is_flat(const Trials& trials, const TuneSearch& search, std::size_t lowest,
                        const std::vector<std::size_t>& curve) {
  constexpr double kWellKnown = kFlat / 5;
  const double scale = trials.scale(lowest);
  return std::all_of(curve.begin(), curve.end(), [&](std::size_t i) {
    if (i == lowest || trials[i].replicas < 2 || search.is_wall(i)) return true;
    const PairedDifference worse = trials.worse_by(lowest, i);
    if (!worse.ci95) return false;
    const auto [low, high] = *worse.ci95;
    return high - low <= 2 * kWellKnown * scale || high < kFlat * scale || low > kFlat * scale;
  });
}

/// How much worse it is along a field, in shares of the loss, as far as it is known.
class Curve {
 public:
  Curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome, std::size_t lowest,
        std::size_t axis, const std::vector<std::size_t>& curve)
      : outcome_(&outcome), axis_(axis), at_(trials[lowest].at) {
    const double scale = trials.scale(lowest);
    for (const std::size_t i : curve) {
      if (i != lowest && trials[i].point && trials[i].replicas == 0) continue;
      const bool wall = search.is_wall(i);
      Known known{.at = trials[i].at[axis], .worse = 0, .error = 0, .wall = wall, .trial = i};
      if (!wall && i != lowest && scale > 0) {
        const PairedDifference worse = trials.worse_by(lowest, i, outcome.compared());
        known.worse = worse.difference.value_or(0) / scale;
        known.error = worse.se.value_or(0) / scale;
      }
      known_.push_back(known);
    }
    for (const std::size_t i : outcome.window.trials) window_at_.push_back(trials[i].at[axis]);
    is_whole_ = trials.fields()[axis].whole();
    fits_ = !is_whole_ && outcome.fit && surface_fits();
  }

  struct Reach {
    double at = 0;
    bool to_the_end = false;
    std::optional<std::size_t> wall;
  };
  /// How far from the lowest point it costs at most kFlat more; direction is +1 or -1.
  Reach reach(int direction) const {
    Reach out{.at = at_[axis_], .to_the_end = false, .wall = {}};
    if (fits_) {
      const Box& box = outcome_->window.box;
      const double edge = direction > 0 ? box.high[axis_] : box.low[axis_];
      const double end = before_wall(edge, direction);
      if (const auto crossing = crossing_on_surface(end))
        return {.at = *crossing, .to_the_end = false, .wall = {}};
      if ((end - out.at) * direction > 0) out.at = end;
    }
    return beyond(out, direction);
  }

 private:
  struct Known {
    double at, worse, error;
    bool wall;
    std::size_t trial;
  };

  /// The edge of the window; where a wall lies in that direction, the last trial before it at most. A window ends between the two, and nobody
  /// knows whether a value there is refused.
  double before_wall(double edge, int direction) const {
    const auto is_ahead = [&](double at) { return (at - at_[axis_]) * direction > 0; };
    if (std::ranges::none_of(known_, [&](const Known& known) { return known.wall && is_ahead(known.at); }))
      return edge;
    double last = at_[axis_];
    const auto see = [&](double at) {
      if ((at - last) * direction > 0 && (edge - at) * direction >= 0) last = at;
    };
    for (const Known& known : known_)
      if (!known.wall) see(known.at);
    for (const double at : window_at_) see(at);
    return last;
  }

  /// Whether the surface says of the curve's trials in its window what they say themselves. It is smooth: where a plateau
  /// ends in a kink it bends through both, and shows a valley that is not there.
  bool surface_fits() const {
    constexpr double kErrors = 3;
    const Box& box = outcome_->window.box;
    return std::none_of(known_.begin(), known_.end(), [&](const Known& known) {
      const bool inside = box.low[axis_] <= known.at && known.at <= box.high[axis_];
      return inside && !known.wall &&
             std::abs(surface(known.at) - known.worse) > kFlat + kErrors * known.error;
    });
  }

  double surface(double at) const {
    Position there = at_;
    there[axis_] = at;
    return outcome_->fit->excess(there) - outcome_->fit->excess(at_);
  }

  std::optional<double> crossing_on_surface(double edge) const {
    constexpr int kSteps = 100, kHalvings = 40;
    const double from = at_[axis_];
    for (int step = 1; step <= kSteps; ++step) {
      double inside = from + (edge - from) * (step - 1) / kSteps,
             outside = from + (edge - from) * step / kSteps;
      if (surface(outside) <= kFlat) continue;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = (inside + outside) / 2;
        (surface(middle) <= kFlat ? inside : outside) = middle;
      }
      return inside;
    }
    return std::nullopt;
  }

  /// Beyond the window: from trial to trial, straight between them. Between whole numbers there is nothing.
  Reach beyond(Reach out, int direction) const {
    double last = fits_ ? surface(out.at) : 0;
    std::vector<Known> ahead;
    for (const Known& known : known_)
      if ((known.at - out.at) * direction > 0) ahead.push_back(known);
    if (direction < 0) std::reverse(ahead.begin(), ahead.end());
    for (const Known& known : ahead) {
      if (known.wall) {
        out.wall = known.trial;
        return out;
      }
      if (known.worse > kFlat) {
        if (is_whole_) return out;
        out.at += (known.at - out.at) * (kFlat - last) / (known.worse - last);
        return out;
      }
      out.at = known.at;
      last = known.worse;
    }
    out.to_the_end = true;
    return out;
  }

  const SearchOutcome* outcome_;
  std::size_t axis_;
  Position at_;
  std::vector<Known> known_;
  std::vector<double> window_at_;  // where the trials of the window are along the axis
  bool fits_ = false, is_whole_ = false;
};

std::vector<std::string> with_value(const Trial& trial, std::size_t axis, const std::string& value) {
  std::vector<std::string> values = trial.values;
  values[axis] = value;
  return values;
}

/// Runs those trials that often, or half as often, and again, as the budget allows. How often; nothing where it was stopped.
std::optional<std::uint32_t> ensure_as_affordable(Trials& trials, const std::vector<std::size_t>& wanted,
                                                  std::uint32_t replicas) {
  for (; replicas >= kFewestForInterval; replicas /= 2) {
    const Trials::Run run = trials.ensure(wanted, replicas, trials.budget_left() / 8);  // of others' needs
    if (run == Trials::Run::stopped) return std::nullopt;
    if (run == Trials::Run::done) return replicas;
  }
  return 0;
}

}  // namespace

std::vector<std::size_t> curve_along(const Trials& trials, std::size_t best, std::size_t axis) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (with_value(trials[i], axis, trials[best].values[axis]) == trials[best].values) out.push_back(i);
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return trials[a].at[axis] < trials[b].at[axis]; });
  return out;
}

std::size_t lowest_along(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                         std::size_t axis) {
  const std::vector<std::size_t> curve = curve_along(trials, *outcome.best, axis);
  if (trials.fields()[axis].whole()) return lowest_row(trials, search, outcome, curve);
  const auto found = std::find_if(curve.begin(), curve.end(), [&](std::size_t i) {
    return axis < outcome.lowest.size() && trials[i].values[axis] == outcome.lowest[axis];
  });
  return found != curve.end() && trials[*found].replicas > 0 ? *found : *outcome.best;
}

namespace {

/// Runs the whole numbers that may be the best as often as `wanted`, and adds them to these: those that have no trial, and those that were taken for
/// walls by fewer replicas than tell them apart. False where it was stopped.
bool run_values_between(Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                        std::size_t axis, std::uint32_t replicas, std::vector<std::size_t>& wanted) {
  constexpr int kMostRounds = 3;
  constexpr std::size_t kAtOnce = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t lowest = lowest_along(trials, search, outcome, axis);
    const RowComparison comparison(trials, search, outcome, axis, lowest,
                                   curve_along(trials, *outcome.best, axis));
    std::vector<std::size_t> more;
    for (const std::size_t i : curve_along(trials, *outcome.best, axis))
      if (trials[i].replicas > 0 && trials[i].replicas < replicas && search.in_ranges(i) &&
          !comparison.is_told_apart(i))
        more.push_back(i);
    for (const std::string& value : comparison.untried(kAtOnce))
      more.push_back(trials.add(with_value(trials[*outcome.best], axis, value)));
    if (more.empty()) return true;
    const Trials::Run run = trials.ensure(more, replicas, trials.budget_left() / 8);
    if (run != Trials::Run::done) return run != Trials::Run::stopped;
    std::ranges::copy_if(more, std::back_inserter(wanted), [&](std::size_t i) {
      return !search.is_wall(i) && std::ranges::find(wanted, i) == wanted.end();
    });
  }
  return true;
}

/// Runs the trials of a curve, walls apart, as often as each other: `replicas` times, and twice as often, and again, until they tell what is
/// flat or the budget ends. False where it was stopped.
bool run_curve(Trials& trials, const TuneSearch& search, const SearchOutcome& outcome, std::size_t axis,
               std::uint32_t& replicas) {
  const TuneField& field = trials.fields()[axis];
  std::vector<std::size_t> wanted;
  if (trials.fields().size() > 1)
    for (int i = 0; i < kProfilePoints; ++i) {
      const double at = field.low() + (field.high() - field.low()) * i / (kProfilePoints - 1);
      wanted.push_back(trials.add(with_value(trials[*outcome.best], axis, field.text_at(at))));
    }
  // A few replicas tell a wall; no more are spent on it.
  if (!ensure_as_affordable(trials, wanted, std::min(replicas, kWallReplicas))) return false;
  wanted = curve_along(trials, *outcome.best, axis);
  std::erase_if(wanted, [&](std::size_t i) { return trials[i].replicas == 0 || search.is_wall(i); });
  for (std::uint32_t more = replicas;; more *= 2) {
    const std::optional<std::uint32_t> ran = ensure_as_affordable(trials, wanted, more);
    if (!ran) return false;
    if (*ran < more) return true;
    replicas = more;
    if (field.whole() && !run_values_between(trials, search, outcome, axis, replicas, wanted)) return false;
    const std::size_t lowest = lowest_along(trials, search, outcome, axis);
    if (replicas >= kMostOfCurve || tells_what_is_flat(trials, search, lowest, wanted)) return true;
  }
}

/// Of a flat range on the logarithmic axis of the search.
bool is_plateau(double low, double high) { return high - low >= math_log(kPlateau); }

struct FlatRange {
  double low = 0, high = 0;
  bool is_plateau = false;
};

FlatRange flat_range(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                     std::size_t axis) {
  const std::size_t lowest = lowest_along(trials, search, outcome, axis);
  const Curve curve(trials, search, outcome, lowest, axis, curve_along(trials, *outcome.best, axis));
  FlatRange out{.low = curve.reach(-1).at, .high = curve.reach(+1).at};
  out.is_plateau = is_plateau(out.low, out.high);
  return out;
}

/// Whether a trial along an axis may be named in place of the lowest one.
bool is_as_good(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                std::size_t lowest, std::size_t trial) {
  if (!search.in_ranges(trial) || trials[trial].replicas < 2 || search.is_wall(trial)) return false;
  if (outcome.meets && !trials.meets(trial)) return false;
  const PairedDifference worse = trials.worse_by(lowest, trial);
  return worse.difference && *worse.difference <= kFlat * trials.scale(lowest);
}

/// Whether the lowest point found is known to be so within kFlat, along that axis.
bool is_sure(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome, std::size_t axis) {
  if (trials.fields()[axis].whole())
    return RowComparison(trials, search, outcome, axis, *outcome.best,
                         curve_along(trials, *outcome.best, axis))
               .saving() <= kFlat;
  return outcome.fit && outcome.lowest_regret <= kFlat;
}

/// Names today's value where that lies in the flat range, else the middle of it. False where it was stopped.
bool name_on_plateau(Trials& trials, const TuneSearch& search, SearchOutcome& outcome, std::size_t axis,
                     std::uint32_t replicas) {
  const TuneField& field = trials.fields()[axis];
  const std::size_t lowest = *outcome.best;
  const bool no_matter = no_difference(trials, search, lowest, curve_along(trials, lowest, axis));
  const FlatRange flat = flat_range(trials, search, outcome, axis);
  if (!no_matter && (!flat.is_plateau || !is_sure(trials, search, outcome, axis))) return true;
  const auto inside = [&](double at) { return flat.low - kRounding <= at && at <= flat.high + kRounding; };
  std::vector<std::string> values = {field.today(), field.text_at((flat.low + flat.high) / 2)};
  for (const std::string& value : values) {
    if (!no_matter && !inside(field.coordinate_of(value))) continue;
    const std::size_t trial = trials.add(with_value(trials[lowest], axis, value));
    if (!search.in_ranges(trial)) continue;
    if (!ensure_as_affordable(trials, {trial}, replicas)) return false;
    if (!is_as_good(trials, search, outcome, lowest, trial)) continue;
    outcome.best = trial;
    return true;
  }
  return true;
}

/// So many replicas as every trial of every curve has, walls apart.
std::uint32_t common_replicas(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome) {
  std::uint32_t common = trials[*outcome.best].replicas;
  for (std::size_t axis = 0; axis < trials.fields().size(); ++axis)
    for (const std::size_t i : curve_along(trials, *outcome.best, axis))
      if (trials[i].replicas > 0 && !search.is_wall(i)) common = std::min(common, trials[i].replicas);
  return common;
}

/// The axes in the order in which their curves are run. The one along which the fitted surface rises least is the first: where it is flat, another
/// value is named, and the curves of all other axes go through that one.
std::vector<std::size_t> flattest_first(const Trials& trials, const SearchOutcome& outcome) {
  std::vector<std::size_t> axes(trials.fields().size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (!outcome.fit) return axes;
  const Box& box = outcome.window.box;
  std::vector<double> rise;
  for (const std::size_t axis : axes) {
    Position low = box.nearest(trials[*outcome.best].at), high = low;
    low[axis] = box.low[axis];
    high[axis] = box.high[axis];
    rise.push_back(std::max(outcome.fit->excess(low), outcome.fit->excess(high)));
  }
  std::ranges::stable_sort(axes, {}, [&](std::size_t axis) { return rise[axis]; });
  return axes;
}

/// Names the row that lost least along a whole-number field, unless another value is named because it is flat between them. Whether the point
/// that is named has changed.
bool name_lowest_row(const Trials& trials, const TuneSearch& search, SearchOutcome& outcome, std::size_t axis,
                     std::vector<std::string>& found) {
  if (!trials.fields()[axis].whole()) return false;
  outcome.common_replicas = common_replicas(trials, search, outcome);
  const std::size_t lowest = lowest_along(trials, search, outcome, axis);
  const std::string before = std::exchange(found[axis], trials[lowest].values[axis]);
  if (before == found[axis] || trials[*outcome.best].values[axis] != before) return false;
  outcome.best = lowest;
  return true;
}

/// The regret where fields are whole numbers: of these by their rows, of the others by the surface.
void measure_whole(const Trials& trials, const TuneSearch& search, SearchOutcome& outcome) {
  double of_best = 0;
  bool all_whole = true;
  for (std::size_t axis = 0; axis < trials.fields().size(); ++axis) {
    if (!trials.fields()[axis].whole()) {
      all_whole = false;
      continue;
    }
    const std::vector<std::size_t> curve = curve_along(trials, *outcome.best, axis);
    of_best += RowComparison(trials, search, outcome, axis, *outcome.best, curve).saving();
  }
  const double of_others = all_whole ? 0 : outcome.fit ? search.regret_beside_whole(outcome) : kInfinity;
  outcome.regret = of_best + of_others;
  outcome.lowest_regret = of_others;
}

/// Whether a trial of a curve has no replicas, though the scenario has it.
bool is_unfinished(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome) {
  for (std::size_t axis = 0; axis < trials.fields().size(); ++axis)
    for (const std::size_t i : curve_along(trials, *outcome.best, axis))
      if (trials[i].point && trials[i].replicas == 0 && search.in_ranges(i)) return true;
  return false;
}

}  // namespace

bool run_profiles(Trials& trials, TuneSearch& search, SearchOutcome& outcome) {
  const std::vector<std::size_t> axes = flattest_first(trials, outcome);
  std::uint32_t replicas = std::max(kCurveReplicas, trials[*outcome.best].replicas);
  std::vector<std::string> found = trials[*outcome.best].values;
  outcome.lowest_regret = outcome.regret;
  for (const std::size_t axis : axes) {
    if (!run_curve(trials, search, outcome, axis, replicas)) return false;
    name_lowest_row(trials, search, outcome, axis, found);
    if (!name_on_plateau(trials, search, outcome, axis, replicas)) return false;
  }
  outcome.lowest = found;
  constexpr int kMostPasses = 4;
  bool again = true;
  for (int pass = 0; again; ++pass) {  // around the point that is named in the end
    const std::uint32_t before = replicas;
    bool moved = false;
    for (const std::size_t axis : axes) {
      const std::size_t lowest = trials.add(with_value(trials[*outcome.best], axis, found[axis]));
      if (!ensure_as_affordable(trials, {lowest}, replicas)) return false;
      if (!run_curve(trials, search, outcome, axis, replicas)) return false;
      moved = (pass < kMostPasses && name_lowest_row(trials, search, outcome, axis, found)) || moved;
    }
    again = moved || before != replicas;
  }
  outcome.lowest = std::move(found);
  outcome.common_replicas = common_replicas(trials, search, outcome);
  search.measure(outcome);  // with what the profiles have shown, and of the point that is named in the end
  if (std::ranges::any_of(trials.fields(), &TuneField::whole)) {
    outcome.meets = trials.meets(*outcome.best);
    measure_whole(trials, search, outcome);
  }
  if (outcome.end == SearchOutcome::End::settled && is_unfinished(trials, search, outcome)) {
    outcome.end = SearchOutcome::End::budget;
    outcome.lacked = trials.lacked();
  }
  return true;
}

void describe_curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                    std::size_t axis, TunedField& into) {
  into.curve = curve_along(trials, *outcome.best, axis);
  into.lowest = lowest_along(trials, search, outcome, axis);
  into.matters = !no_difference(trials, search, into.lowest, into.curve);
  const Curve curve(trials, search, outcome, into.lowest, axis, into.curve);
  const Curve::Reach low = curve.reach(-1), high = curve.reach(+1);
  const TuneField& field = trials.fields()[axis];
  into.flat = {.low = field.text_at(low.at), .high = field.text_at(high.at)};
  const RowComparison comparison(trials, search, outcome, axis, into.lowest, into.curve);
  into.whole = field.whole();
  into.flat_known = into.whole || outcome.fit.has_value();
  if (into.whole && outcome.meets) into.interval = comparison.interval();
  const double regret = into.whole               ? comparison.saving()
                        : outcome.lowest.empty() ? outcome.regret
                                                 : outcome.lowest_regret;
  const bool unsure = (!outcome.fit && !into.whole) || regret > kFlat;
  if (unsure) into.alike = comparison.alike();
  if (into.alike) into.not_alike = comparison.exceptions();
  into.joint = into.whole || into.alike;
  into.plateau = into.flat_known && !into.alike && is_plateau(low.at, high.at);
  into.flat_to_low = low.to_the_end;
  into.flat_to_high = high.to_the_end;
  // The search took it for a wall by the few replicas that it had. Beside the lowest, under the same faults, it may be none.
  const auto is_cliff = [&](std::size_t wall) {
    if (trials[wall].replicas == 0 || trials.gives_up_more(wall, trials.gave_up(into.lowest))) return true;
    const PairedDifference worse = trials.worse_by(into.lowest, wall, outcome.compared());
    return !worse.difference || *worse.difference > kWall * trials.scale(into.lowest);
  };
  if (low.wall && is_cliff(*low.wall)) into.cliff_below = trials[*low.wall].values[axis];
  if (high.wall && is_cliff(*high.wall)) into.cliff_above = trials[*high.wall].values[axis];
  for (const std::size_t i : into.curve)
    into.worse.push_back(i == into.lowest || trials[i].replicas == 0
                             ? std::nullopt
                             : std::optional(into.joint
                                                 ? comparison.worse(i)
                                                 : trials.worse_by(into.lowest, i, outcome.compared())));
}

}  // namespace gauntlet
