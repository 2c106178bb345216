#include "commands/tune/search.hpp"

#include "study/design.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

using Run = Trials::Run;

constexpr std::uint32_t kFirstReplicas = 8, kRaceReplicas = 64;  // of the race: where it begins and ends
constexpr std::uint32_t kWindowReplicas = 32;
constexpr std::uint32_t kFewestReplicas = 8;
constexpr double kDropWrongly = 0.01;      // chance that a race drops the best point, all its looks together
constexpr std::uint32_t kGridPoints = 13;  // of one field: a factor of 1.6 apart in a default range
constexpr double kWide = 1.6, kNarrow = 0.9;  // half a window, in logarithms: factors of 5 and 2.5
constexpr double kEnoughRegret = 0.005;       // of the loss
constexpr double kWorthMoving = 0.001;        // of the loss
constexpr std::uint32_t kRoughRedraws = 100;
constexpr int kMostRounds = 30;

}  // namespace

TuneSearch::TuneSearch(Trials& trials, std::vector<TuneField>& fields, std::uint64_t seed)
    : trials_(&trials),
      fields_(&fields),
      seed_(seed),
      reserve_(trials.budget_left() / 8),
      replicas_(kWindowReplicas),
      margins_(trials.bounds().size(), 0.0) {}

std::vector<std::size_t> TuneSearch::first_points() {
  std::vector<std::size_t> out;
  std::vector<std::string> today;
  for (const TuneField& field : *fields_) today.push_back(field.today());
  out_.today = trials_->add(today);
  out.push_back(out_.today);
  if (fields_->size() == 1) {
    const TuneField& field = fields_->front();
    for (std::uint32_t i = 0; i < kGridPoints; ++i)
      out.push_back(
          trials_->add(Position{field.low() + (field.high() - field.low()) * i / (kGridPoints - 1)}));
    return out;
  }
  std::vector<Axis> axes;
  for (const TuneField& field : *fields_)
    axes.push_back({.path = field.path(), .kind = field.range().kind, .values = {}, .range = field.range()});
  const auto count = static_cast<std::uint32_t>(8 * fields_->size() + 8);
  for (const Settings& point : latin_hypercube(axes, count, seed_)) {
    std::vector<std::string> values;
    for (const Setting& setting : point) values.push_back(setting.value);
    out.push_back(trials_->add(values));
  }
  return out;
}

bool TuneSearch::in_ranges(std::size_t trial) const {
  const Position& at = (*trials_)[trial].at;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] < (*fields_)[i].low() - kRounding || at[i] > (*fields_)[i].high() + kRounding) return false;
  return true;
}

double TuneSearch::baseline() const {
  std::optional<double> least;
  for (std::size_t i = 0; i < trials_->size(); ++i)
    if ((*trials_)[i].replicas > 0) least = std::min(least.value_or(1), trials_->gave_up(i));
  const bool ran = (*trials_)[out_.today].replicas > 0;
  if (!ran || trials_->gives_up_more(out_.today, *least)) return least.value_or(0);
  return trials_->gave_up(out_.today);
}

std::size_t TuneSearch::best_trial() const {
  const double quits = baseline();
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials_->size(); ++i) {
    const Trial& trial = (*trials_)[i];
    if (trial.replicas == 0 || trial.dropped || !in_ranges(i)) continue;
    if (!best || trials_->better(i, *best, quits)) best = i;
  }
  return best.value_or(out_.today);
}

Run TuneSearch::race(std::vector<std::size_t> candidates) {
  const std::uint64_t most = trials_->budget_left() / kFewestForInterval;
  if (candidates.size() > most) candidates.resize(std::max<std::uint64_t>(most, 1));
  const auto affordable = static_cast<std::uint32_t>(trials_->budget_left() / 4 / candidates.size());
  const std::uint32_t first =
      std::clamp(affordable, static_cast<std::uint32_t>(kFewestForInterval), kFirstReplicas);
  int looks = 0;
  for (std::uint32_t replicas = first; replicas <= kRaceReplicas; replicas *= 2) ++looks;
  for (std::uint32_t replicas = first; replicas <= kRaceReplicas; replicas *= 2) {
    const Run run = trials_->ensure(candidates, replicas, replicas == first ? 0 : trials_->budget_left() / 2);
    if (run == Run::over_budget && replicas > first) return Run::done;
    if (run != Run::done) return run;
    std::erase_if(candidates, [&](std::size_t i) { return !(*trials_)[i].point; });
    if (candidates.size() < 3) return Run::done;
    const std::size_t best = best_trial();
    const double chance = kDropWrongly / looks / static_cast<double>(candidates.size() - 1);
    const bool bounded = trials_->meets(best);
    std::erase_if(candidates, [&](std::size_t i) {
      if (i == best) return false;
      const bool out = bounded && (trials_->clearly_worse(best, i, chance) || trials_->clearly_breaks(i));
      if (!out) return false;
      trials_->drop(i);
      return true;
    });
  }
  return Run::done;
}

std::vector<Position> TuneSearch::wanted(const Box& box) const {
  constexpr int kLevels = 7;
  constexpr double kCorner = 0.15;  // of the way in from an end
  Position middle = box.nearest(centre_);
  std::vector<Position> out = {middle};
  for (std::size_t i = 0; i < middle.size(); ++i)
    for (int level = 0; level < kLevels; ++level) {
      out.push_back(middle);
      out.back()[i] = box.low[i] + (box.high[i] - box.low[i]) * level / (kLevels - 1);
    }
  for (std::size_t i = 0; i < middle.size(); ++i)
    for (std::size_t j = i + 1; j < middle.size(); ++j)
      for (const double u : {kCorner, 1 - kCorner})
        for (const double v : {kCorner, 1 - kCorner}) {
          out.push_back(middle);
          out.back()[i] = box.low[i] + (box.high[i] - box.low[i]) * u;
          out.back()[j] = box.low[j] + (box.high[j] - box.low[j]) * v;
        }
  return out;
}

bool TuneSearch::is_wide() const {
  return std::ranges::any_of(half_, [](double half) { return half > kNarrow; });
}

Run TuneSearch::fill_window() {
  constexpr double kSame = 0.08;  // of the window: a trial so near stands for a wanted one
  constexpr double kSaid = 0.01;  // of a logarithm: at an end of a range none does, but for how people say it
  Box box = allowed().box;
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    centre_[i] = std::clamp(centre_[i], box.low[i], box.high[i]);
    box.low[i] = std::max(box.low[i], centre_[i] - half_[i]);
    box.high[i] = std::min(box.high[i], centre_[i] + half_[i]);
  }
  std::vector<std::size_t> members;
  for (const Position& at : wanted(box)) {
    const auto near = [&](const Trial& trial) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        const bool end = at[i] <= (*fields_)[i].low() || at[i] >= (*fields_)[i].high();
        const double same = end ? kSaid : kSame * (box.high[i] - box.low[i]);
        if (std::abs(trial.at[i] - at[i]) > same) return false;
      }
      return trial.point.has_value();
    };
    std::optional<std::size_t> member;
    for (std::size_t i = 0; i < trials_->size() && !member; ++i)
      if (near((*trials_)[i])) member = i;
    if (!member) member = trials_->add(at);
    if (std::find(members.begin(), members.end(), *member) == members.end()) members.push_back(*member);
  }
  // A wide window only shows where to go on.
  const std::uint32_t replicas = is_wide() ? std::max(replicas_ / 2, kFewestReplicas) : replicas_;
  // A few replicas tell a wall; no more are spent on it.
  Run run = trials_->ensure(members, std::min(replicas, kFirstReplicas), reserve_);
  if (run != Run::done) return run;
  std::erase_if(members, [&](std::size_t i) { return is_wall(i); });
  run = trials_->ensure(members, replicas, reserve_);
  if (run != Run::done) return run;
  filled_ = {.trials = std::move(members),
             .replicas = replicas,
             .centre = centre_,
             .box = box,
             .scale = trials_->scale(best_trial()),
             .margins = margins_};
  return Run::done;
}

bool TuneSearch::extend_ranges(const Position& at) {
  constexpr double kAtEnd = 1e-3;
  bool extended = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    TuneField& field = (*fields_)[i];
    if (at[i] <= field.low() + kAtEnd) extended = field.extend(TuneField::End::low) || extended;
    if (at[i] >= field.high() - kAtEnd) extended = field.extend(TuneField::End::high) || extended;
  }
  return extended;
}

TuneSearch::Next TuneSearch::look() {
  out_.window = filled_;
  out_.fit.emplace(*trials_, out_.window, seed_);
  const WindowFit& fit = *out_.fit;
  const WindowFit::Chance chance = fit.chance(fit.best(), centre_, kRoughRedraws);
  bool far = false;
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    const double length = out_.window.box.high[i] - out_.window.box.low[i];
    far = far || std::abs(fit.best()[i] - centre_[i]) > length / 4;
  }
  const bool better = !fit.meets(centre_) || (chance.gain > 0 && fit.excess(centre_) > kWorthMoving);
  const bool extended = extend_ranges(fit.best());
  if (extended || (far && better)) {
    centre_ = fit.best();
    return Next::again;
  }
  if (better) centre_ = fit.best();
  if (is_wide()) {
    for (double& half : half_) half = std::max(half * kShrink, std::min(half, kNarrow));
    return Next::again;
  }
  return chance.regret > kEnoughRegret ? Next::more_replicas : Next::name;
}

Run TuneSearch::close_in() {
  bool fit_is_wide = false;
  for (int round = 0; round < kMostRounds; ++round) {
    const Run run = fill_window();
    if (run == Run::stopped) return run;
    if (run == Run::over_budget) {
      // Half as many replicas are enough for a first fit, and after the fit of a wide window, which ran that often.
      const bool may_halve = !out_.fit || (fit_is_wide && !is_wide() && replicas_ > out_.window.replicas);
      if (!may_halve || replicas_ <= kFewestReplicas) return run;
      replicas_ /= 2;
      continue;
    }
    constexpr std::size_t kFewestTrials = 3;
    if (filled_.trials.size() < kFewestTrials) {
      for (double& half : half_) half *= kShrink;
      continue;
    }
    fit_is_wide = is_wide();
    switch (look()) {
      case Next::again:
        break;
      case Next::more_replicas:
        replicas_ *= 2;
        break;
      case Next::name:
        if (name()) return Run::done;
        break;
    }
  }
  return Run::done;
}

SearchOutcome TuneSearch::run() {
  std::vector<std::size_t> first = first_points();
  Run run = race(std::move(first));
  if (run == Run::done && (*trials_)[best_trial()].replicas > 0) {
    centre_ = (*trials_)[best_trial()].at;
    half_.assign(fields_->size(), fields_->size() == 1 ? kNarrow : kWide);
    run = close_in();
  }
  if (run == Run::stopped) out_.end = SearchOutcome::End::stopped;
  if (run == Run::over_budget) {
    out_.end = SearchOutcome::End::budget;
    out_.lacked = trials_->lacked();
  }
  if (out_.end != SearchOutcome::End::stopped) finish();
  if (!out_.best && (*trials_)[best_trial()].replicas > 0) out_.best = best_trial();
  return std::move(out_);
}

}  // namespace gauntlet
