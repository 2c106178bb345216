// The walls of a search, and how it names what it found.
#include "commands/tune/result.hpp"
#include "commands/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kNamedWrongly = 0.01;  // chance that a trial is called better that is not
constexpr double kWorthNaming = 0.004;  // of the loss
constexpr int kMostMisled = 4, kMostTightened = 6;
constexpr double kSaid =
    1e-2;  // of a logarithm: a value as people say it is so near to the one that is meant
constexpr double kBestBeyond = 0.025;  // chance that a trial beyond the window is called worse that is not

}  // namespace

bool TuneSearch::is_wall(std::size_t trial) const {
  if (!(*trials_)[trial].point) return true;
  const std::size_t best = out_.best.value_or(best_trial());
  if (trial == best || (*trials_)[trial].replicas == 0 || (*trials_)[best].replicas == 0) return false;
  if (trials_->gives_up_more(trial, trials_->gave_up(best))) return true;
  const std::optional<double> loss = trials_->loss(trial), least = trials_->loss(best);
  return !loss || (least && *loss - *least > kWall * trials_->scale(best));
}

TuneSearch::Allowed TuneSearch::allowed() const {
  const std::size_t axes = fields_->size();
  using Walls = std::vector<std::optional<std::size_t>>;
  Allowed out{
      .box = {}, .low = Walls(axes), .high = Walls(axes)};  // round brackets: so many, none of them set
  for (const TuneField& field : *fields_) {
    out.box.low.push_back(field.low());
    out.box.high.push_back(field.high());
  }
  std::vector<std::size_t> walls;
  Box good{.low = centre_, .high = centre_};
  for (std::size_t i = 0; i < trials_->size(); ++i) {
    const Trial& trial = (*trials_)[i];
    if ((trial.point && trial.replicas == 0) || !in_ranges(i)) continue;
    if (is_wall(i)) {
      walls.push_back(i);
      continue;
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
      good.low[axis] = std::min(good.low[axis], trial.at[axis]);
      good.high[axis] = std::max(good.high[axis], trial.at[axis]);
    }
  }
  for (const std::size_t wall : walls) {
    // It stands across the axis on which it lies farthest from everything that is good.
    const Position& at = (*trials_)[wall].at;
    double farthest = 0;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < axes; ++i)
      if (const double out_by = std::max(good.low[i] - at[i], at[i] - good.high[i]); out_by > farthest) {
        farthest = out_by;
        axis = i;
      }
    if (farthest <= 0) continue;
    const bool below = at[axis] < good.low[axis];
    const double middle = (at[axis] + (below ? good.low : good.high)[axis]) / 2;
    double& end = (below ? out.box.low : out.box.high)[axis];
    if (below ? middle < end : middle > end) continue;
    end = middle;
    (below ? out.low : out.high)[axis] = wall;
  }
  return out;
}

std::vector<std::size_t> TuneSearch::nameable(const Position& at) {
  std::vector<Position> near = {at};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const TuneField& field = (*fields_)[i];
    if (!field.whole()) continue;
    const double value = field.value_at(at[i]);
    std::vector<Position> both;
    for (const Position& each : near)
      for (const double whole : {std::floor(value), std::ceil(value)}) {
        both.push_back(each);
        both.back()[i] = field.coordinate(whole);
      }
    near = std::move(both);
  }
  std::vector<std::size_t> out;
  for (const Position& each : near) {
    const std::size_t trial = trials_->add(each);
    if (std::find(out.begin(), out.end(), trial) == out.end()) out.push_back(trial);
  }
  return out;
}

void TuneSearch::tighten(std::size_t named) {
  constexpr double kFurther = 1.5, kLeast = 1e-4;
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    const Bound& bound = trials_->bounds()[i];
    const std::optional<double> figure = trials_->figure(named, bound);
    if (!figure || bound.met(*figure)) continue;
    const double size = bound.limit != 0 ? std::abs(bound.limit) : 1;
    margins_[i] += std::max(kFurther * std::abs(*figure - bound.limit) / size, kLeast);
  }
}

bool TuneSearch::name() {
  std::vector<std::size_t> candidates = nameable(out_.fit->best());
  std::uint32_t replicas = out_.window.replicas;
  Run run = trials_->ensure(candidates, replicas);
  for (; run == Run::over_budget && replicas > kFewestForInterval;
       run = trials_->ensure(candidates, replicas))
    replicas /= 2;
  std::erase_if(candidates, [&](std::size_t i) { return (*trials_)[i].replicas < replicas || is_wall(i); });
  if (run != Run::done || candidates.empty()) {
    if (run == Run::stopped) out_.end = SearchOutcome::End::stopped;
    out_.best = best_trial();
    return run != Run::done || misled_++ >= kMostMisled;
  }
  const double quits = baseline();
  std::size_t named = candidates.front();
  for (const std::size_t candidate : candidates)
    if (trials_->better(candidate, named, quits)) named = candidate;
  if (!trials_->meets(named) && tightened_++ < kMostTightened) {
    tighten(named);
    return false;
  }
  const auto better = clearly_better_than(named);
  if (better && misled_++ < kMostMisled) {
    centre_ = (*trials_)[*better].at;
    for (double& half : half_) half *= kShrink;
    return false;
  }
  out_.best = better.value_or(trials_->meets(named) ? named : best_trial());
  return true;
}

std::optional<std::size_t> TuneSearch::clearly_better_than(std::size_t named) const {
  const std::vector<std::size_t>& others = out_.window.trials;
  const double chance = kNamedWrongly / static_cast<double>(others.size()), quits = baseline();
  std::optional<std::size_t> best;
  for (const std::size_t other : others) {
    if (other == named || !in_ranges(other) || !trials_->meets(other)) continue;
    const bool clearly = trials_->clearly_worse(other, named, chance) &&
                         *trials_->worse_by(other, named).difference > kWorthNaming * out_.window.scale;
    if (clearly && (!best || trials_->better(other, *best, quits))) best = other;
  }
  return best;
}

std::size_t TuneSearch::best_of_window(const Window& window, std::size_t otherwise) const {
  const double quits = baseline();
  std::size_t best = otherwise;
  bool found = (*trials_)[otherwise].replicas > 0 && trials_->meets(otherwise);
  for (const std::size_t trial : window.trials) {
    if (!in_ranges(trial) || is_wall(trial) || !trials_->meets(trial)) continue;
    if (found && !trials_->better(trial, best, quits)) continue;
    best = trial;
    found = true;
  }
  return best;
}

double TuneSearch::regret_at_best(const SearchOutcome& outcome, const WindowFit& fit, const Box& box) const {
  const std::size_t best = *outcome.best;
  const auto by_surface = [&](std::size_t trial) {
    const Position at = box.nearest((*trials_)[trial].at);
    return fit.chance(at, at, kRedraws).regret;
  };
  const Position& at = (*trials_)[best].at;
  const Position near = box.nearest(at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (box.low[i] == box.high[i] || std::abs(at[i] - near[i]) <= kSaid) continue;
    // The surface says nothing there: what the window's best trial may lose, and by how much this one may lose more.
    const std::size_t stay = best_of_window(outcome.window, outcome.window.trials.front());
    const PairedDifference worse = trials_->worse_by(stay, best);
    constexpr double kFar = 3;  // standard errors, where there is no interval
    const double more =
        worse.ci95 ? worse.ci95->high : worse.difference.value_or(0) + kFar * worse.se.value_or(0);
    return by_surface(stay) + std::max(more, 0.0) / trials_->scale(stay);
  }
  return by_surface(best);
}

double TuneSearch::regret_beside_whole(const SearchOutcome& outcome) const {
  Window window = outcome.window;
  const Position at = window.box.nearest((*trials_)[*outcome.best].at);
  for (std::size_t i = 0; i < at.size(); ++i)
    if ((*fields_)[i].whole()) window.box.low[i] = window.box.high[i] = at[i];
  window.centre = window.box.nearest(window.centre);
  const Box box = window.box;
  return regret_at_best(outcome, WindowFit(*trials_, std::move(window), seed_), box);
}

void TuneSearch::measure_regret(SearchOutcome& outcome) const {
  if (!outcome.fit || !outcome.best || outcome.regret_of == outcome.best) return;
  outcome.regret = regret_at_best(outcome, *outcome.fit, outcome.window.box);
  outcome.regret_of = outcome.best;
}

double TuneSearch::not_worse_until(const SearchOutcome& outcome, std::size_t axis, double from,
                                   double end) const {
  const Trial& best = (*trials_)[*outcome.best];
  for (std::size_t i = 0; i < trials_->size(); ++i) {
    const Trial& trial = (*trials_)[i];
    std::vector<std::string> values = trial.values;
    values[axis] = best.values[axis];
    const double at = trial.at[axis];
    const bool between = from < end ? from < at && at < end : end < at && at < from;
    if (values != best.values || !between || trial.replicas == 0) continue;
    if (trials_->clearly_worse(*outcome.best, i, kBestBeyond)) end = at;
  }
  return end;
}

void TuneSearch::measure(SearchOutcome& outcome) const {
  if (!outcome.fit || !outcome.best) return;
  const Position& at = (*trials_)[*outcome.best].at;
  if (outcome.fitted.empty()) outcome.fitted = outcome.fit->interval(kRedraws);
  outcome.interval = outcome.fitted;
  measure_regret(outcome);
  // What lies between the best point and a wall beside it was never tried.
  const Allowed now = allowed();
  for (std::size_t i = 0; i < at.size(); ++i) {
    Interval& interval = outcome.interval[i];
    const Interval window{outcome.window.box.low[i], outcome.window.box.high[i]};
    if (interval.low < window.low + kRounding)
      interval.low = not_worse_until(outcome, i, window.low, now.box.low[i]);
    if (interval.high > window.high - kRounding)
      interval.high = not_worse_until(outcome, i, window.high, now.box.high[i]);
    if (now.low[i] && interval.low < now.box.low[i] + kRounding) interval.low = (*trials_)[*now.low[i]].at[i];
    if (now.high[i] && interval.high > now.box.high[i] - kRounding)
      interval.high = (*trials_)[*now.high[i]].at[i];
    interval.low = std::min(interval.low, at[i]);
    interval.high = std::max(interval.high, at[i]);
  }
}

void TuneSearch::finish() {
  if (out_.fit && !out_.best) name();
  if (!out_.best && (*trials_)[best_trial()].replicas > 0) out_.best = best_trial();
  measure_regret(out_);
  if (out_.fit && out_.best && out_.regret > kFlat) out_.best = best_of_window(out_.window, *out_.best);
  if (out_.best) out_.meets = trials_->meets(*out_.best);
  measure(out_);
}

}  // namespace gauntlet
