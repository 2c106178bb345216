#include "study/tune_profile.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string>

namespace gauntlet {
namespace {

constexpr std::uint32_t kProfileReplicas = 128;
constexpr int kProfilePoints = 9;  // along each of several fields
constexpr double kCalledWorse =
    0.05;  // chance that one of the trials along a field is told apart that is not worse
constexpr double kTooSmall = 1e-4;  // of the loss: no difference that anyone would act on

/// Whether no trial along the field differs from the best by more than chance, walls apart.
bool no_difference(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                   const std::vector<std::size_t>& curve) {
  constexpr double kChance = 3;  // standard errors: a dozen trials are looked at
  std::size_t looked_at = 0;
  for (const std::size_t i : curve) {
    if (i == *outcome.best || trials[i].replicas < 2 || search.is_wall(i)) continue;
    const PairedDifference worse = trials.worse_by(*outcome.best, i);
    if (!worse.difference || !worse.se) return false;
    const double size = std::abs(*worse.difference), scale = trials.scale(*outcome.best);
    if (size > kTooSmall * scale + kChance * *worse.se || size > kFlat * scale) return false;
    ++looked_at;
  }
  return looked_at > 0;
}

/// How much worse it is along a field, in shares of the loss, as far as it is known.
class Curve {
 public:
  Curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome, std::size_t axis,
        const std::vector<std::size_t>& curve)
      : outcome_(&outcome), axis_(axis), at_(trials[*outcome.best].at) {
    const double scale = trials.scale(*outcome.best);
    for (const std::size_t i : curve) {
      if (i != *outcome.best && trials[i].point && trials[i].replicas == 0) continue;
      const bool wall = search.is_wall(i);
      double worse = 0;
      if (!wall && i != *outcome.best && scale > 0)
        worse = trials.worse_by(*outcome.best, i).difference.value_or(0) / scale;
      known_.push_back({.at = trials[i].at[axis], .worse = worse, .wall = wall, .trial = i});
    }
  }

  struct Reach {
    double at = 0;
    bool to_the_end = false;
    std::optional<std::size_t> wall;
  };
  /// How far from the best point it costs at most kFlat more; direction is +1 or -1.
  Reach reach(int direction) const {
    Reach out{.at = at_[axis_], .to_the_end = false, .wall = {}};
    if (outcome_->fit) {
      const Box& box = outcome_->window.box;
      const double edge = direction > 0 ? box.high[axis_] : box.low[axis_];
      if (const auto crossing = crossing_on_surface(edge))
        return {.at = *crossing, .to_the_end = false, .wall = {}};
      if ((edge - out.at) * direction > 0) out.at = edge;
    }
    return beyond(out, direction);
  }

 private:
  struct Known {
    double at, worse;
    bool wall;
    std::size_t trial;
  };

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

  /// Beyond the window: from trial to trial, straight between them.
  Reach beyond(Reach out, int direction) const {
    double last = outcome_->fit ? surface(out.at) : 0;
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
};

std::vector<std::string> with_value(const Trial& trial, std::size_t axis, const std::string& value) {
  std::vector<std::string> values = trial.values;
  values[axis] = value;
  return values;
}

bool ensure_as_affordable(Trials& trials, const std::vector<std::size_t>& wanted, std::uint32_t replicas) {
  for (; replicas >= kFewestForInterval; replicas /= 2) {
    const Trials::Run run = trials.ensure(wanted, replicas);
    if (run != Trials::Run::over_budget) return run == Trials::Run::done;
  }
  return true;
}

/// From the best on, the last trial in a direction that is not told apart from it.
std::size_t last_alike(const Trials& trials, const TuneSearch& search, std::size_t best,
                       std::span<const std::size_t> curve, double chance) {
  std::size_t last = best;
  for (const std::size_t i : curve) {
    if (!search.in_ranges(i) || trials[i].replicas == 0) break;
    if (trials.gives_up_more(i, trials.gave_up(best)) || trials.clearly_worse(best, i, chance)) break;
    last = i;
  }
  return last;
}

std::optional<ValueSpan> alike_along(const Trials& trials, const TuneSearch& search, std::size_t best,
                                     std::size_t axis, const std::vector<std::size_t>& curve) {
  const auto at = std::find(curve.begin(), curve.end(), best);
  const std::vector<std::size_t> below(std::make_reverse_iterator(at), curve.rend()),
      above(at + 1, curve.end());
  // The best of many has had luck, too: as strict as it takes for all pairs of them.
  const auto count = static_cast<double>(curve.size());
  const double chance = kCalledWorse / std::max(count * (count - 1), 1.0);
  const std::size_t low = last_alike(trials, search, best, below, chance);
  const std::size_t high = last_alike(trials, search, best, above, chance);
  if (low == high) return std::nullopt;
  return ValueSpan{.low = trials[low].values[axis], .high = trials[high].values[axis]};
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

bool run_profiles(Trials& trials, TuneSearch& search, SearchOutcome& outcome) {
  const std::vector<TuneField>& fields = trials.fields();
  const std::size_t found = *outcome.best;
  for (std::size_t axis = 0; axis < fields.size(); ++axis) {
    if (fields.size() > 1) {
      std::vector<std::size_t> wanted;
      for (int i = 0; i < kProfilePoints; ++i) {
        const double at =
            fields[axis].low() + (fields[axis].high() - fields[axis].low()) * i / (kProfilePoints - 1);
        wanted.push_back(trials.add(with_value(trials[*outcome.best], axis, fields[axis].text_at(at))));
      }
      if (!ensure_as_affordable(trials, wanted, kProfileReplicas)) return false;
    }
    const std::vector<std::size_t> curve = curve_along(trials, *outcome.best, axis);
    if (!no_difference(trials, search, outcome, curve)) continue;
    // It does not matter: nothing speaks for another value than today's, if that may be named.
    const std::size_t as_today = trials.add(with_value(trials[*outcome.best], axis, fields[axis].today()));
    if (!search.in_ranges(as_today)) continue;
    if (!ensure_as_affordable(trials, {as_today}, trials[*outcome.best].replicas)) return false;
    if (trials[as_today].replicas < 2 || search.is_wall(as_today)) continue;
    if (outcome.meets && !trials.meets(as_today)) continue;
    if (!no_difference(trials, search, outcome, {as_today}) && as_today != *outcome.best) continue;
    const PairedDifference worse = trials.worse_by(found, as_today);
    if (worse.difference && *worse.difference <= kFlat * trials.scale(found)) outcome.best = as_today;
  }
  search.measure(outcome);  // with what the profiles have shown, and of the point that is named in the end
  return true;
}

void describe_curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                    std::size_t axis, TunedField& into) {
  into.curve = curve_along(trials, *outcome.best, axis);
  into.matters = !no_difference(trials, search, outcome, into.curve);
  const Curve curve(trials, search, outcome, axis, into.curve);
  const Curve::Reach low = curve.reach(-1), high = curve.reach(+1);
  const TuneField& field = trials.fields()[axis];
  into.flat = {.low = field.text_at(low.at), .high = field.text_at(high.at)};
  if (!outcome.fit || outcome.regret > kFlat)
    into.alike = alike_along(trials, search, *outcome.best, axis, into.curve);
  into.flat_to_low = low.to_the_end;
  into.flat_to_high = high.to_the_end;
  if (low.wall) into.cliff_below = trials[*low.wall].values[axis];
  if (high.wall) into.cliff_above = trials[*high.wall].values[axis];
}

}  // namespace gauntlet
