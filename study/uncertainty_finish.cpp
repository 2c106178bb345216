#include "study/uncertainty_finish.hpp"

#include "core/math/special.hpp"
#include "study/uncertainty_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace gauntlet {
namespace {

constexpr double kNeverDone = std::numeric_limits<double>::infinity();

double count_of_never(std::span<const double> finish) {
  return static_cast<double>(
      std::count_if(finish.begin(), finish.end(), [](double at) { return std::isinf(at); }));
}

Fraction never(double at) { return {.numerator = std::isinf(at) ? 1.0 : 0.0, .denominator = 1}; }

std::optional<DrawEffect> effect_on_time(std::span<const double> as_given, std::span<const double> drawn) {
  std::vector<Fraction> before, after;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (std::isinf(drawn[i]) || std::isinf(as_given[i])) continue;
    before.push_back({as_given[i], 1});
    after.push_back({drawn[i], 1});
  }
  return effect_of(before, after);
}

std::optional<DrawEffect> effect_on_never(std::span<const double> as_given, std::span<const double> drawn) {
  std::vector<Fraction> before, after;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    before.push_back(never(as_given[i]));
    after.push_back(never(drawn[i]));
  }
  return effect_of(before, after);
}

/// What so few replicas leave open of the share that never finishes.
void note_never(FinishEffects& effects, const DrawEffects& of, std::span<const double> paired,
                bool any_drawn) {
  const std::size_t each = paired.size();
  if (effects.never == 0 && !any_drawn) return;
  const std::string never = fmt::format("{:.1f}% of runs never finish", 100 * effects.never);
  if (count_of_never(paired) == 0 && !any_drawn) {
    effects.notes.push_back(
        fmt::format("{}, but none of the {} that draws of the parameters are compared with. So it is not "
                    "known what the parameters "
                    "change about that, and it counts as nothing.",
                    never, each));
    return;
  }
  const double half_width =
      student_t_quantile(0.975, std::max(1.0, static_cast<double>(each) - 1)) * effects.more_never_error;
  if (half_width == 0 || std::abs(of.mean) > half_width) return;
  effects.notes.push_back(fmt::format(
      "{}. What the parameters change about that is not told from chance by {} runs of each draw: {:+.1f} "
      "percentage points on average (95% interval {:+.1f} to {:+.1f}).",
      never, each, 100 * of.mean, 100 * (of.mean - half_width), 100 * (of.mean + half_width)));
}

}  // namespace

FinishEffects finish_effects(std::span<const double> as_given, std::span<const std::vector<double>> draws) {
  FinishEffects out;
  if (as_given.empty() || draws.empty()) return out;
  std::vector<std::optional<DrawEffect>> on_time, on_never;
  bool any_drawn = false;
  for (const std::vector<double>& drawn : draws) {
    on_time.push_back(effect_on_time(as_given, drawn));
    on_never.push_back(effect_on_never(as_given, drawn));
    any_drawn = any_drawn || count_of_never(drawn) > 0;
  }
  const DrawEffects time = summed_up(on_time), never = summed_up(on_never);
  out.moved_by = time.each;
  out.more_never = never.each;
  out.never = count_of_never(as_given) / static_cast<double>(as_given.size());
  out.more_never_error = std::sqrt(never.variance_by_runs);
  note_never(out, never, as_given.first(draws.front().size()), any_drawn);
  if (time.unknown > 0)
    out.notes.push_back(fmt::format(
        "with {} of {} draws of the parameters no run finishes that finishes without them too: {}.",
        time.unknown, draws.size(),
        time.unknown < draws.size()
            ? "the time of these draws' runs is moved as by the others on average"
            : "what the draws do to the time of a run is not known, and counts as nothing"));
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
    const double by = scale.time * effects.moved_by[draw];
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
