#include "study/levers/rank.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"
#include "study/levers/fault_levers.hpp"
#include "study/levers/gains_apart.hpp"
#include "study/levers/larger_mean.hpp"
#include "study/levers/measures.hpp"
#include "study/levers/paired_scatter.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kWrong = 0.05;  // probability that an interval, an order or an effect is wrong

/// Of one part, with the controls. What is the same in all replicas stays so, without rounding.
double mean_of(const std::vector<Fraction>& of, double Fraction::*part, const Controls& controls) {
  double mean = 0, weights = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    weights += controls.weight(i);
    mean += i == 0 ? of[i].*part : (of[i].*part - mean) * controls.weight(i) / weights;
  }
  return mean;
}

struct Candidate {
  const Lever* lever;
  PointNumber point;
  std::uint32_t replicas = 0;
  Measures measures = {};
  RankedLever ranked = {};
  bool without_effect = false;

  /// Of the first replicas.
  std::span<const Fraction> plain(std::uint32_t of_replicas) const {
    return std::span(measures.goodput.plain).first(of_replicas);
  }
};

/// Whether a message is about this key, or one below it: "job.step_time = 1s", and not "job.step_time_factor = 2".
bool is_about(std::string_view what, std::string_view key) {
  return what.starts_with(key) &&
         (what.size() == key.size() || what[key.size()] == ' ' || what[key.size()] == '.');
}

/// One call of rank_levers().
class Ranking {
 public:
  Ranking(Experiment& experiment, const PointSource& source, PointNumber base, const RankTerms& terms)
      : experiment_(&experiment), source_(&source), base_(base), terms_(terms) {
    result_.looks = terms.looks;
    constant_is_exact_ = !has_events(experiment.point(base).scenario.world);
    result_.currency = experiment.point(base).facts.currency;
  }

  LeverRanking rank(const std::vector<Lever>& levers) {
    warnings_ = source_->point().warnings;
    for (const Lever& lever : levers) load(lever);
    std::vector<std::size_t> active(candidates_.size());
    std::iota(active.begin(), active.end(), std::size_t{0});
    std::uint32_t replicas = terms_.replicas;
    for (std::uint32_t look = 1; look == 1 || !active.empty(); ++look) {
      if (!run(active, replicas)) {
        result_.interrupted = true;
        break;
      }
      measure(active, replicas);
      if (look == 1) result_.replicas = replicas;
      result_.most_replicas = replicas;
      active = settle();
      if (look == terms_.looks || replicas > kMostReplicas / 2) break;
      replicas *= 2;
    }
    if (result_.replicas > 0) gather();
    return std::move(result_);
  }

 private:
  /// Makes the point of a lever.
  void load(const Lever& lever) {
    const LoadedPoint loaded = source_->point(lever.settings);
    if (!loaded.point) {
      const Problem& problem = loaded.problems.front();
      result_.untried.push_back({lever.path, lever.change, problem.what + " " + problem.why});
      return;
    }
    const bool unused = std::ranges::any_of(loaded.warnings, [&](const Problem& warning) {
      return says_no_effect(warning) && is_about(warning.what, lever.path) && !is_warned_as_given(warning);
    });
    if (!unused) candidates_.push_back({.lever = &lever, .point = experiment_->add(loaded.point)});
  }

  bool is_warned_as_given(const Problem& warning) const {
    return std::ranges::any_of(warnings_,
                               [&](const Problem& given) { return given.text() == warning.text(); });
  }

  bool run(const std::vector<std::size_t>& active, std::uint32_t replicas) {
    std::vector<PointNumber> points = {base_};
    for (const std::size_t each : active) points.push_back(candidates_[each].point);
    return experiment_->ensure(points, replicas);
  }

  void measure(const std::vector<std::size_t>& active, std::uint32_t replicas) {
    as_given_ = measures_of(*experiment_, base_, replicas);
    const double level = 1 - kWrong / terms_.looks;
    if (result_.replicas == 0) {  // the work and the time that gains are of stay as the first look has them
      const Controls controls = experiment_->controls(base_, replicas);
      result_.work_tokens = mean_of(as_given_.goodput.plain, &Fraction::numerator, controls);
      result_.wall_s = mean_of(as_given_.goodput.plain, &Fraction::denominator, controls);
      if (!as_given_.cost_per_token.plain.empty())
        result_.cost = mean_of(as_given_.cost_per_token.plain, &Fraction::numerator, controls);
    }
    const double work = result_.work_tokens, wall = result_.wall_s;
    for (const std::size_t number : active) {
      Candidate& of = candidates_[number];
      of.measures = measures_of(*experiment_, of.point, replicas);
      of.replicas = replicas;
      of.without_effect = are_equal(as_given_.goodput.plain, of.measures.goodput.plain);
      const auto of_ratio = [&](Measure Measures::*ratio, double factor) {
        return gain_of(as_given_.*ratio, of.measures.*ratio, factor,
                       {.level = level, .constant_is_exact = constant_is_exact_});
      };
      of.ranked = {.path = of.lever->path,
                   .change = of.lever->change,
                   .settings = {},
                   .replicas = replicas,
                   .gains = {.time_s = of_ratio(&Measures::time_per_token, -work),
                             .tokens = of_ratio(&Measures::goodput, wall),
                             .cost = result_.cost ? of_ratio(&Measures::cost_per_token, -work) : Gain{},
                             .goodput = work > 0 ? of_ratio(&Measures::goodput, wall / work) : Gain{}},
                   .effect = effect_of(of),
                   .not_told_from = {}};
      for (const Setting& each : of.lever->settings) of.ranked.settings.emplace_back(each.path, each.value);
    }
  }

  /// The level of a test of a lever's order: of every pair at each look.
  double level_of_order() const {
    const double levers = static_cast<double>(std::max<std::size_t>(2, candidates_.size()));
    return kWrong / (levers * (levers - 1) / 2 * terms_.looks);
  }

  static bool is_constant(std::span<const Fraction> first, std::span<const Fraction> second) {
    return paired_scatter(first, second).error == 0;
  }

  /// The goodput of the first replicas of a lever, or as given.
  struct Goodput {
    PointNumber point;
    const Measure* whole;
    std::span<const Fraction> plain;
  };
  Goodput given(std::uint32_t replicas) const {
    return {base_, &as_given_.goodput, std::span(as_given_.goodput.plain).first(replicas)};
  }
  static Goodput goodput(const Candidate& of) {
    return {of.point, &of.measures.goodput, of.measures.goodput.plain};
  }
  const Controlled& controlled(const Goodput& of) const {
    if (of.plain.size() == of.whole->plain.size()) return of.whole->controlled;
    const auto replicas = static_cast<std::uint32_t>(of.plain.size());
    const auto [known, is_new] = controlled_.try_emplace({of.point, replicas});
    if (is_new) known->second = gauntlet::controlled(of.plain, experiment_->controls(of.point, replicas));
    return known->second;
  }
  ComparedPair compared(const Goodput& first, const Goodput& second) const {
    return gauntlet::compared(first.plain, controlled(first), second.plain, controlled(second));
  }

  /// Whether the second goodput is certainly larger, at that level.
  bool is_more(const Goodput& first, const Goodput& second, double level, double deviation = 0) const {
    if (constant_is_exact_ && is_constant(first.plain, second.plain))
      return paired_scatter(first.plain, second.plain).difference > 0;
    const ComparedPair pair = compared(first, second);
    return is_larger(pair.first, pair.second, level, {.deviation = deviation, .controls = pair.controls});
  }

  LeverEffect effect_of(const Candidate& of) const {
    const Goodput before = given(of.replicas), after = goodput(of);
    if (of.replicas < kFewestForInterval || (!constant_is_exact_ && is_constant(before.plain, after.plain)))
      return LeverEffect::unmeasured;
    const double level = kWrong / (2 * static_cast<double>(candidates_.size()) * terms_.looks);
    if (is_more(before, after, level)) return LeverEffect::gain;
    return is_more(after, before, level) ? LeverEffect::loss : LeverEffect::unclear;
  }

  /// Whether this look or an earlier one tells them apart, which it remembers. The level of a test allows for all looks. An order that
  /// the gains of this look contradict is not certain.
  bool tell_apart(const Candidate& better, const Candidate& other) {
    if (gain_in_goodput(better) < gain_in_goodput(other)) return false;
    const std::pair order(better.point, other.point);
    const bool apart = apart_.contains(order) || are_apart(better, other);
    if (apart) apart_.insert(order);
    return apart;
  }

  bool are_apart(const Candidate& better, const Candidate& other) const {
    if (std::min(better.replicas, other.replicas) < kFewestForInterval) return false;
    if (better.replicas != other.replicas) return gains_are_apart(better, other);
    return is_more(goodput(other), goodput(better), level_of_order(),
                   scatter_of_gain(better).largest + scatter_of_gain(other).largest);
  }

  bool gains_are_apart(const Candidate& better, const Candidate& other) const {
    return are_gains_apart(gain(better), gain(other), level_of_order());
  }

  ComparedPair gain(const Candidate& of) const { return compared(given(of.replicas), goodput(of)); }

  /// How the gain of a lever scatters. Its largest event may not show beside the scatter of another lever.
  PairedScatter scatter_of_gain(const Candidate& of) const {
    const ComparedPair pair = gain(of);
    return paired_scatter(pair.first, pair.second);
  }

  static double gain_in_goodput(const Candidate& of) { return of.ranked.gains.goodput.by.value_or(0); }
  double gain_in_goodput(std::size_t candidate) const { return gain_in_goodput(candidates_[candidate]); }
  bool has_effect(std::size_t candidate, LeverEffect effect) const {
    return candidates_[candidate].ranked.effect == effect;
  }

  /// Events are more of the scatter of one figure than of another.
  static bool has_intervals(const LeverGains& of) {
    return of.time_s.ci95 && of.tokens.ci95 && of.goodput.ci95 && (of.cost.ci95 || !of.cost.by);
  }

  /// Orders the levers, and says which of the first may stand in another place: those take more replicas.
  std::vector<std::size_t> settle() {
    order_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (!candidates_[i].without_effect) order_.push_back(i);
    std::ranges::stable_sort(
        order_, [&](std::size_t a, std::size_t b) { return gain_in_goodput(a) > gain_in_goodput(b); });
    std::vector<std::size_t> places, uncertain;  // positions in order_
    for (std::size_t position = 0; position < order_.size(); ++position) {
      const bool certain =
          has_effect(order_[position], LeverEffect::gain) || has_effect(order_[position], LeverEffect::loss);
      (certain ? places : uncertain).push_back(position);
    }
    // Behind the last one that certainly gains, there is no order to look for.
    std::size_t claimed = std::min<std::size_t>(terms_.claimed, places.size());
    while (claimed > 0 && !has_effect(order_[places[claimed - 1]], LeverEffect::gain)) --claimed;
    result_.claimed = static_cast<std::uint32_t>(claimed);
    unsettled_.assign(candidates_.size(), false);
    compare_places(places);
    compare_uncertain(places, uncertain);
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < unsettled_.size(); ++i)
      if (unsettled_[i]) again.push_back(i);
    return again;
  }

  /// Which of the levers that certainly gain stand where they do. Two that are equal in every replica are not told apart by
  /// more of them.
  void compare_places(const std::vector<std::size_t>& places) {
    for (Candidate& each : candidates_) each.ranked.not_told_from.clear();
    result_.certain = 0;
    bool all_before = true;
    for (std::size_t place = 0; place < std::min<std::size_t>(terms_.claimed, places.size()); ++place) {
      const std::size_t number = order_[places[place]];
      Candidate& of = candidates_[number];
      if (place >= result_.claimed) {
        unsettled_[number] = gain_in_goodput(number) > 0;  // it may gain yet
        continue;
      }
      if (of.ranked.effect != LeverEffect::gain || !has_intervals(of.ranked.gains)) unsettled_[number] = true;
      for (std::size_t below = place + 1; below < places.size(); ++below) {
        const Candidate& other = candidates_[order_[places[below]]];
        if (tell_apart(of, other)) continue;
        of.ranked.not_told_from.push_back(places[below]);
        const std::uint32_t common = std::min(of.replicas, other.replicas);
        if (are_equal(of.plain(common), other.plain(common))) continue;
        unsettled_[number] = unsettled_[order_[places[below]]] = true;
      }
      all_before = all_before && of.ranked.not_told_from.empty() && of.ranked.effect == LeverEffect::gain;
      if (all_before) result_.certain = static_cast<std::uint32_t>(place + 1);
    }
  }

  /// Levers that do not certainly gain or lose have no place. More replicas go to those that may take one of the first.
  void compare_uncertain(const std::vector<std::size_t>& places, const std::vector<std::size_t>& uncertain) {
    result_.unplaced.clear();
    for (const std::size_t position : uncertain) {
      const std::size_t number = order_[position];
      const Candidate& of = candidates_[number];
      if (position < terms_.claimed && gain_in_goodput(number) > 0) unsettled_[number] = true;
      for (std::size_t place = 0; place < result_.claimed; ++place) {
        const Candidate& placed = candidates_[order_[places[place]]];
        if (tell_apart(placed, of)) continue;
        unsettled_[number] = true;
        result_.unplaced.push_back(position);
        break;
      }
    }
  }

  void gather() {
    for (const std::size_t number : order_) result_.levers.push_back(std::move(candidates_[number].ranked));
    for (Candidate& each : candidates_)
      if (each.without_effect) result_.without_effect.push_back(std::move(each.ranked));
  }

  Experiment* experiment_;
  const PointSource* source_;
  PointNumber base_;
  RankTerms terms_;
  std::vector<Problem> warnings_;  // of the scenario as given
  std::vector<Candidate> candidates_;
  bool constant_is_exact_ = false;                       // see Certainty
  std::vector<std::size_t> order_;                       // of those with an effect
  std::vector<bool> unsettled_;                          // of all candidates
  std::set<std::pair<PointNumber, PointNumber>> apart_;  // the first is certainly better
  Measures as_given_;
  mutable std::map<std::pair<PointNumber, std::uint32_t>, Controlled>
      controlled_;  // goodput of fewer replicas
  LeverRanking result_;
};

}  // namespace

LeverRanking rank_levers(Experiment& experiment, const PointSource& source, PointNumber base,
                         const std::vector<Lever>& levers, const RankTerms& terms) {
  expect(terms.replicas > 0 && terms.looks > 0 && terms.claimed > 0, "there is something to look at");
  return Ranking(experiment, source, base, terms).rank(levers);
}

}  // namespace gauntlet
