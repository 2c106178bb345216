#include "commands/tune/alike.hpp"

#include "core/infinity.hpp"
#include "study/field_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kCalledWorse = 0.05;  // chance that the best one of the trials is told apart

}  // namespace

RowComparison::RowComparison(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                             std::size_t axis, std::size_t reference, std::vector<std::size_t> curve)
    : trials_(&trials),
      search_(&search),
      outcome_(&outcome),
      axis_(axis),
      reference_(reference),
      curve_(std::move(curve)) {
  const double quits = trials.gave_up(reference);
  std::size_t compared = 0;
  for (const std::size_t i : curve_) {
    if (trials[i].replicas == 0 || !search.in_ranges(i)) continue;
    ++ran_;
    if (!trials.gives_up_more(i, quits)) ++compared;
  }
  chance_ = kCalledWorse / static_cast<double>(std::max<std::size_t>(compared, 2) - 1);
}

PairedDifference RowComparison::worse(std::size_t trial) const {
  return trials_->worse_by_at(reference_, trial, chance_, outcome_->compared());
}

bool RowComparison::is_told_apart(std::size_t trial) const {
  if (trial == reference_) return false;
  if (!(*trials_)[trial].point) return true;
  if ((*trials_)[trial].replicas == 0) return false;
  if (trials_->gives_up_more(trial, trials_->gave_up(reference_)) || trials_->clearly_breaks(trial))
    return true;
  const PairedDifference worse = this->worse(trial);
  return !worse.difference || (worse.ci95 && worse.ci95->low > 0);
}

RowComparison::Ends RowComparison::ends() const {
  const auto at = static_cast<std::size_t>(std::ranges::find(curve_, reference_) - curve_.begin());
  Ends out{.low = at, .high = at};
  for (std::size_t k = 0; k < curve_.size(); ++k) {
    const std::size_t i = curve_[k];
    if ((*trials_)[i].replicas == 0 || !search_->in_ranges(i) || is_told_apart(i)) continue;
    out.low = std::min(out.low, k);
    out.high = std::max(out.high, k);
  }
  return out;
}

std::optional<ValueSpan> RowComparison::alike() const {
  const auto [low, high] = ends();
  if (low == high) return std::nullopt;
  return ValueSpan{.low = (*trials_)[curve_[low]].values[axis_],
                   .high = (*trials_)[curve_[high]].values[axis_]};
}

std::vector<std::string> RowComparison::exceptions() const {
  const auto [low, high] = ends();
  std::vector<std::string> out;
  for (std::size_t k = low; k <= high; ++k)
    if (is_told_apart(curve_[k])) out.push_back((*trials_)[curve_[k]].values[axis_]);
  return out;
}

double RowComparison::number(std::size_t trial) const {
  return number_of((*trials_)[trial].values[axis_], FieldKind::number).value_or(0);
}

Interval RowComparison::between() const {
  const auto [low, high] = ends();
  const FieldRange& range = trials_->fields()[axis_].range();
  Interval out{.low = std::min(range.low, number(curve_[low])),
               .high = std::max(range.high, number(curve_[high]))};
  const auto ends_it = [&](std::size_t k) {
    return search_->in_ranges(curve_[k]) && is_told_apart(curve_[k]);
  };
  for (std::size_t k = 0; k < low; ++k)
    if (ends_it(k)) out.low = number(curve_[k]) + 1;
  for (std::size_t k = curve_.size() - 1; k > high; --k)
    if (ends_it(k)) out.high = number(curve_[k]) - 1;
  return out;
}

std::optional<ValueSpan> RowComparison::interval() const {
  if (!compares()) return std::nullopt;
  const Interval of = between();
  return ValueSpan{.low = fmt::format("{:.0f}", of.low), .high = fmt::format("{:.0f}", of.high)};
}

std::vector<std::string> RowComparison::untried(std::size_t most) const {
  const auto [low, high] = between();
  std::set<std::string> tried;
  for (const std::size_t i : curve_) tried.insert((*trials_)[i].values[axis_]);
  std::vector<std::string> all;
  const double step = std::max((high - low) / static_cast<double>(most - 1), 1.0);
  for (double at = low; at <= high; at += step) {
    std::string value = fmt::format("{:.0f}", at);
    if (tried.insert(value).second) all.push_back(std::move(value));
  }
  return all;
}

/// The whole numbers that may be the best.
bool RowComparison::all_have_run() const {
  const auto [low, high] = between();
  const auto known = std::ranges::count_if(curve_, [&, low = low, high = high](std::size_t i) {
    return low <= number(i) && number(i) <= high && ((*trials_)[i].replicas > 0 || is_told_apart(i));
  });
  return static_cast<double>(known) >= high - low + 1;
}

double RowComparison::saving() const {
  if (!compares() || !all_have_run()) return kInfinity;
  double most = 0;
  for (const std::size_t i : curve_) {
    if (i == reference_ || (*trials_)[i].replicas == 0 || !search_->in_ranges(i) || is_told_apart(i))
      continue;
    const PairedDifference worse = this->worse(i);
    constexpr double kFar = 3;  // standard errors, where there is no interval
    const double low = worse.ci95 ? worse.ci95->low : *worse.difference - kFar * worse.se.value_or(0);
    most = std::max(most, -low);
  }
  return most / trials_->scale(reference_);
}

std::size_t lowest_row(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                       const std::vector<std::size_t>& curve) {
  std::size_t lowest = *outcome.best;
  const double quits = trials.gave_up(lowest);
  for (const std::size_t i : curve)
    if (trials[i].replicas > 0 && search.in_ranges(i) && !search.is_wall(i) &&
        trials.better(i, lowest, quits, outcome.compared()))
      lowest = i;
  return lowest;
}

}  // namespace gauntlet
