#include "study/uncertainty/finish_times.hpp"

#include "core/infinity.hpp"
#include "study/uncertainty/effects.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kNeverDone = kInfinity;

double count_of_never(std::span<const double> finish) {
  return static_cast<double>(
      std::count_if(finish.begin(), finish.end(), [](double at) { return std::isinf(at); }));
}

/// Of the replicas that finish in both, beyond `longer` seconds that none of them is spared.
std::optional<DrawEffect> effect_on_time(std::span<const double> as_given, std::span<const double> drawn,
                                         double longer) {
  std::vector<double> before, after;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (std::isinf(drawn[i]) || std::isinf(as_given[i])) continue;
    before.push_back(as_given[i]);
    after.push_back(drawn[i] - longer);
  }
  return effect_of(before, after);
}

std::optional<DrawEffect> effect_on_never(std::span<const double> as_given, std::span<const double> drawn) {
  std::vector<double> before, after;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    before.push_back(std::isinf(as_given[i]) ? 1 : 0);
    after.push_back(std::isinf(drawn[i]) ? 1 : 0);
  }
  return effect_of(before, after);
}

}  // namespace

FinishEffects finish_effects(std::span<const double> as_given, std::span<const std::vector<double>> draws,
                             std::span<const double> longer, double healthy) {
  FinishEffects out;
  if (as_given.empty() || draws.empty()) return out;
  std::vector<std::optional<DrawEffect>> on_time, on_never;
  std::size_t first = 0;
  for (const std::vector<double>& drawn : draws) {
    const std::span<const double> given = as_given.subspan(first, drawn.size());
    const double more = longer.empty() ? 0 : longer[on_time.size()];
    on_time.push_back(effect_on_time(given, drawn, more));
    out.longer.push_back(healthy > 0 ? more / healthy : 0);
    on_never.push_back(effect_on_never(given, drawn));
    first += drawn.size();
  }
  DrawEffects never = summed_up(on_never);
  out.moved_by = summed_up(on_time).each;
  out.more_never = std::move(never.each);
  out.never = count_of_never(as_given) / static_cast<double>(as_given.size());
  out.more_never_error = std::sqrt(never.variance_by_runs);
  return out;
}

UncertainFinish moved(std::span<const double> finish, const FinishEffects& effects,
                      const FinishScale& scale) {
  finish = finish.first(std::min(finish.size(), kMostCombined));
  std::vector<double> finished;
  for (const double at : finish)
    if (std::isfinite(at)) finished.push_back(at);
  const double runs = static_cast<double>(finish.size()), never = count_of_never(finish);
  UncertainFinish out;
  out.draws = effects.moved_by.size();
  out.never_error = scale.never * effects.more_never_error;
  out.runs.reserve(finish.size() * out.draws);
  double rest = 0;  // of whole runs: passed on to the next draw, so that their mean is kept
  for (std::size_t draw = 0; draw < out.draws; ++draw) {
    const double longer = effects.longer.empty() ? 0 : effects.longer[draw];
    const double by = scale.healthy * longer + scale.time * effects.moved_by[draw];
    const double wanted = std::clamp(never + scale.never * effects.more_never[draw] * runs, 0.0, runs) + rest;
    const double whole = std::clamp(std::nearbyint(wanted), 0.0, runs);
    rest = wanted - whole;
    auto more = static_cast<std::ptrdiff_t>(whole - never);  // negative: so many do finish
    std::size_t next = 0;
    for (const double at : finish) {
      double moved = at + by;
      if (std::isfinite(at) && more > 0) {
        moved = kNeverDone;
        --more;
      } else if (std::isinf(at) && more < 0 && !finished.empty()) {
        moved = finished[next++ % finished.size()] + by;
        ++more;
      }
      out.runs.push_back(moved);
    }
  }
  return out;
}

UncertainFinish::Share UncertainFinish::share_by(double by) const {
  if (runs.empty()) return {};
  const std::size_t each = runs.size() / draws;
  std::vector<double> of_draw(draws), of_run(each);  // counts, then shares
  double hits = 0, finite = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    finite += std::isfinite(runs[i]) ? 1 : 0;
    if (!(runs[i] <= by)) continue;
    ++hits;
    ++of_draw[i / each];
    ++of_run[i % each];
  }
  for (double& share : of_draw) share /= static_cast<double>(each);
  for (double& share : of_run) share /= static_cast<double>(draws);
  const auto squared_error = [](std::span<const double> shares, double mean) {
    double squares = 0;
    for (const double share : shares) squares += (share - mean) * (share - mean);
    const double n = static_cast<double>(shares.size());
    return n > 1 ? squares / (n - 1) / n : 0;
  };
  Share share;
  share.value = hits / static_cast<double>(runs.size());
  // Of the runs that do finish, so many are among the hits: what is open of the others is open of these.
  const double of_never = finite > 0 ? hits / finite * never_error : 0;
  share.variance =
      squared_error(of_draw, share.value) + squared_error(of_run, share.value) + of_never * of_never;
  return share;
}

}  // namespace gauntlet
