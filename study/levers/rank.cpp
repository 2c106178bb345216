#include "study/levers/rank.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"
#include "study/levers/rare_events.hpp"
#include "study/paired.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kWrong = 0.05;  // share of the intervals, and of the orders, that may be

/// What a lever's gains are computed of, replica by replica.
struct Measures {
  std::vector<Fraction> goodput;         // tokens per second of wall time
  std::vector<Fraction> time_per_token;  // the inverse
  std::vector<Fraction> cost_per_token;  // empty without a price

  std::span<const Fraction> goodput_of(std::uint32_t replicas) const {
    return std::span(goodput).first(replicas);
  }
};

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas) {
  Measures out;
  out.goodput = experiment.values(point, "goodput_tokens_per_s", replicas);
  for (const Fraction& each : out.goodput) out.time_per_token.push_back({each.denominator, each.numerator});
  if (!(experiment.point(point).facts.gpu_hour.value > 0)) return out;
  const std::vector<Fraction> cost = experiment.values(point, "cost", replicas);
  for (std::size_t i = 0; i < cost.size(); ++i)
    out.cost_per_token.push_back({cost[i].numerator, out.goodput[i].numerator});
  return out;
}

/// Whether the interval by Student's t can be trusted. It cannot where a few events make the scatter: a quicker step saves the
/// same in every replica, and a failure in each tenth; the next one would move the mean out of the interval
/// (tests/commands/interval_coverage_test.cpp). Few normal values have a skewness of their own.
bool has_interval(const PairedDifference& of, std::span<const Fraction> first,
                  std::span<const Fraction> second) {
  constexpr double kFewestEvents = 16, kPairsPerEvent = 4;
  if (!of.difference || !of.ci95) return false;
  const double enough = std::min(kFewestEvents, static_cast<double>(first.size()) / kPairsPerEvent);
  return *of.se == 0 || rare_events(first, second) >= enough;
}

/// The difference of the paired means times `factor`, with an interval of `level`.
Gain gain(std::span<const Fraction> before, std::span<const Fraction> after, double factor, double level) {
  const PairedDifference of = paired_difference(before, after);
  Gain out;
  if (!of.difference) return out;
  out.by = factor * *of.difference;
  if (!of.ci95) return out;
  const double half_width = student_t_quantile((1 + level) / 2, static_cast<double>(before.size() - 1)) *
                            *of.se * (factor < 0 ? -factor : factor);
  out.ci95 = Interval{*out.by - half_width, *out.by + half_width};
  return out;
}

/// Whether `better` has more goodput than `other` by a one-sided test of that level.
bool told_apart(std::span<const Fraction> other, std::span<const Fraction> better, double level) {
  const PairedDifference of = paired_difference(other, better);
  if (!has_interval(of, other, better)) return false;
  return *of.difference > student_t_quantile(1 - level, static_cast<double>(other.size() - 1)) * *of.se;
}

bool equal(std::span<const Fraction> a, std::span<const Fraction> b) {
  return std::ranges::equal(a, b, [](const Fraction& x, const Fraction& y) {
    return x.numerator == y.numerator && x.denominator == y.denominator;
  });
}

double total(const std::vector<Fraction>& of, double Fraction::*part) {
  return std::accumulate(of.begin(), of.end(), 0.0,
                         [part](double sum, const Fraction& each) { return sum + each.*part; });
}

struct Candidate {
  const Lever* lever;
  PointNumber point;
  std::uint32_t replicas = 0;
  Measures measures = {};
  RankedLever ranked = {};
  bool without_effect = false;
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
    const double n = replicas, level = 1 - kWrong / terms_.looks;
    if (result_.replicas == 0) {  // the work and the time that gains are of stay as the first look has them
      result_.work_tokens = total(as_given_.goodput, &Fraction::numerator) / n;
      result_.wall_s = total(as_given_.goodput, &Fraction::denominator) / n;
      if (!as_given_.cost_per_token.empty())
        result_.cost = total(as_given_.cost_per_token, &Fraction::numerator) / n;
    }
    const double work = result_.work_tokens, wall = result_.wall_s;
    for (const std::size_t number : active) {
      Candidate& of = candidates_[number];
      of.measures = measures_of(*experiment_, of.point, replicas);
      of.replicas = replicas;
      of.without_effect = equal(as_given_.goodput, of.measures.goodput) &&
                          equal(as_given_.cost_per_token, of.measures.cost_per_token);
      const auto of_ratio = [&](std::vector<Fraction> Measures::*ratio, double factor) {
        return gain(as_given_.*ratio, of.measures.*ratio, factor, level);
      };
      of.ranked = {.path = of.lever->path,
                   .change = of.lever->change,
                   .settings = {},
                   .replicas = replicas,
                   .gains = {.time_s = of_ratio(&Measures::time_per_token, -work),
                             .tokens = of_ratio(&Measures::goodput, wall),
                             .cost = result_.cost ? of_ratio(&Measures::cost_per_token, -work) : Gain{},
                             .goodput = work > 0 ? of_ratio(&Measures::goodput, wall / work) : Gain{}},
                   .not_told_from = {}};
      // The same events scatter all of them.
      LeverGains& gains = of.ranked.gains;
      if (!has_interval(paired_difference(as_given_.goodput, of.measures.goodput), as_given_.goodput,
                        of.measures.goodput))
        gains.time_s.ci95 = gains.tokens.ci95 = gains.cost.ci95 = gains.goodput.ci95 = std::nullopt;
      for (const Setting& each : of.lever->settings) of.ranked.settings.emplace_back(each.path, each.value);
    }
  }

  bool told_apart(const Candidate& better, const Candidate& other) const {
    const std::uint32_t common = std::min(better.replicas, other.replicas);
    const double tests = static_cast<double>(terms_.claimed) *
                         static_cast<double>(std::max<std::size_t>(1, candidates_.size() - 1)) * terms_.looks;
    return gauntlet::told_apart(other.measures.goodput_of(common), better.measures.goodput_of(common),
                                kWrong / tests);
  }

  /// Orders the levers, and says which of the first may stand in another place: those take more replicas. Two that are equal
  /// in every replica are not told apart by more of them.
  std::vector<std::size_t> settle() {
    order_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (!candidates_[i].without_effect) order_.push_back(i);
    const auto by = [&](std::size_t i) { return candidates_[i].ranked.gains.goodput.by.value_or(0); };
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return by(a) > by(b); });
    // Behind the last one that surely gains, there is no order to look for.
    std::size_t claimed = std::min<std::size_t>(terms_.claimed, order_.size());
    while (claimed > 0 && !candidates_[order_[claimed - 1]].ranked.gains_surely()) --claimed;
    std::vector<bool> unsettled(candidates_.size());
    for (std::size_t place = claimed; place < std::min<std::size_t>(terms_.claimed, order_.size()); ++place)
      unsettled[order_[place]] = by(order_[place]) > 0;  // it may gain yet
    for (Candidate& each : candidates_) each.ranked.not_told_from.clear();
    result_.claimed = static_cast<std::uint32_t>(claimed);
    result_.certain = 0;
    bool all_before = true;
    for (std::size_t place = 0; place < claimed; ++place) {
      Candidate& of = candidates_[order_[place]];
      if (!of.ranked.gains_surely()) unsettled[order_[place]] = true;
      for (std::size_t below = place + 1; below < order_.size(); ++below) {
        const Candidate& other = candidates_[order_[below]];
        if (told_apart(of, other)) continue;
        of.ranked.not_told_from.push_back(below);
        const std::uint32_t common = std::min(of.replicas, other.replicas);
        if (equal(of.measures.goodput_of(common), other.measures.goodput_of(common))) continue;
        unsettled[order_[place]] = unsettled[order_[below]] = true;
      }
      all_before = all_before && of.ranked.not_told_from.empty() && of.ranked.gains_surely();
      if (all_before) result_.certain = static_cast<std::uint32_t>(place + 1);
    }
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < unsettled.size(); ++i)
      if (unsettled[i]) again.push_back(i);
    return again;
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
  std::vector<std::size_t> order_;  // of those with an effect
  Measures as_given_;
  LeverRanking result_;
};

}  // namespace

LeverRanking rank_levers(Experiment& experiment, const PointSource& source, PointNumber base,
                         const std::vector<Lever>& levers, const RankTerms& terms) {
  expect(terms.replicas > 0 && terms.looks > 0 && terms.claimed > 0, "there is something to look at");
  return Ranking(experiment, source, base, terms).rank(levers);
}

}  // namespace gauntlet
