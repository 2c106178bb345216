#include "commands/plan/search.hpp"

#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "study/finish/finish.hpp"
#include "study/size.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

/// The most warm spares, of at most `wanted`, that the scenario can have with that many GPUs: a shared cluster has room for so
/// many hosts and no more. `wanted` where the scenario cannot have the size at all.
std::uint32_t fitting_spares(const PlanVariants& variants, std::uint64_t gpus, std::uint32_t wanted) {
  const auto fits = [&](std::int64_t spares) {
    return !variants.obstacle({.gpus = gpus, .spares = static_cast<std::uint32_t>(spares)});
  };
  if (fits(wanted)) return wanted;
  // A trace may name a spare, so that fewer than those that are given are not a scenario either.
  for (const std::uint32_t few : {0U, std::min(wanted, warm_spares(variants.base()->world))})
    if (few < wanted && fits(few))
      return static_cast<std::uint32_t>(least(few, wanted, [&](std::int64_t each) { return !fits(each); }) -
                                        1);
  return wanted;
}

/// As many spares for each host of the job as no run can use up, or as fit.
class Plenty {
 public:
  explicit Plenty(PlanVariants& variants) : variants_(&variants) {
    const World& given = variants.base()->world;
    const std::uint64_t gpus = size_of(*variants.base());
    hosts_ = given.inventory.job_hosts;
    spares_ = std::max(warm_spares(given), hosts_ / 20 + 8);
    while (true) {
      const std::uint32_t tried = fitting_spares(variants, gpus, spares_);
      const auto point = variants.point({.spares = tried});
      if (!point || !variants.run(*point, variants.first_look())) return;
      const std::uint32_t used = variants.most_spares_in_use(*point, variants.first_look());
      if (used < tried || spares_ >= hosts_) return;
      // Where no more fit, nobody knows how many more of them a run would use.
      spares_ = tried < spares_ ? hosts_ : std::min(2 * spares_, std::max(hosts_, spares_ + 1));
      if (tried == fitting_spares(variants, gpus, spares_)) return;
    }
  }
  std::uint32_t spares(std::uint64_t gpus, std::uint32_t gpus_per_host) const {
    const std::uint64_t hosts = gpus / gpus_per_host;
    const std::uint64_t wanted = std::max<std::uint64_t>(8, (spares_ * hosts + hosts_ - 1) / hosts_);
    const auto [known, is_new] = fitting_.try_emplace(gpus);
    if (is_new) known->second = fitting_spares(*variants_, gpus, static_cast<std::uint32_t>(wanted));
    return known->second;
  }

 private:
  PlanVariants* variants_;
  std::uint32_t hosts_ = 0, spares_ = 0;
  mutable std::map<std::uint64_t, std::uint32_t> fitting_;  // by GPUs
};

/// How good a plan that misses the date is: when the asked share of runs is done, then when half of them are.
std::pair<double, double> lateness(PlanVariants& variants, PointNumber point) {
  if (!variants.run(point, variants.first_look())) return {};
  const auto finish = variants.finish(point, variants.first_look());
  return {finish_quantile(finish, variants.question().confidence).value_or(kInfinity),
          finish_quantile(finish, 0.5).value_or(kInfinity)};
}

class Sizes {
 public:
  explicit Sizes(PlanVariants& variants)
      : variants_(&variants),
        plenty_(variants),
        unit_(size_unit(*variants.base())),
        given_(size_of(*variants.base()) / unit_) {}

  Variant of(std::int64_t units) const {
    const std::uint64_t gpus = static_cast<std::uint64_t>(units) * unit_;
    return {.gpus = gpus, .spares = plenty_.spares(gpus, variants_->base()->world.inventory.gpus_per_host)};
  }

  /// The least GPUs that meet the date, or the best.
  LeastPlan search() {
    const auto meets = [this](std::int64_t units) { return variants_->meets(of(units)); };
    const auto given = static_cast<std::int64_t>(given_);
    if (meets(given)) return {.enough = of(least(0, given, meets)), .plenty = {}, .best = {}};
    std::int64_t low = given, best = given;
    std::pair<double, double> best_so_far = how_late(given);
    constexpr int kDoublings = 10;
    for (int i = 0; i < kDoublings && !variants_->stopped(); ++i) {
      const std::int64_t high = 2 * low;
      if (resized(*variants_->base(), static_cast<std::uint64_t>(high) * unit_, BatchScaling::scaled).problem)
        break;
      if (meets(high)) return {.enough = of(least(low, high, meets)), .plenty = {}, .best = {}};
      const std::pair<double, double> late = how_late(high);
      if (late >= best_so_far) break;  // more GPUs fail more often than they help
      best_so_far = late;
      best = low = high;
    }
    return between(best, best_so_far);
  }

 private:
  /// Doublings step over the best: quarters on both sides of it, in case one of them meets the date.
  LeastPlan between(std::int64_t middle, std::pair<double, double> best_so_far) {
    std::int64_t best = middle;
    for (const std::int64_t quarters : {3, 5, 6, 7}) {
      const std::int64_t units = middle * quarters / 4;
      if (units == middle || units == 0 || variants_->stopped()) continue;
      if (resized(*variants_->base(), static_cast<std::uint64_t>(units) * unit_, BatchScaling::scaled)
              .problem)
        continue;
      const auto meets = [this](std::int64_t each) { return variants_->meets(of(each)); };
      if (meets(units))
        return {.enough = of(least(std::min(units, middle) / 2, units, meets)), .plenty = {}, .best = {}};
      const std::pair<double, double> late = how_late(units);
      if (late >= best_so_far) continue;
      best_so_far = late;
      best = units;
    }
    return {.enough = {}, .plenty = {}, .best = of(best)};
  }

  /// The size that is given is a scenario, or the study ends there with what is wrong; another one need not be.
  std::pair<double, double> how_late(std::int64_t units) {
    const bool given = units == static_cast<std::int64_t>(given_);
    const auto point = given ? variants_->point(of(units)) : variants_->valid_point(of(units));
    return point ? lateness(*variants_, *point) : std::pair{kInfinity, kInfinity};
  }

  PlanVariants* variants_;
  Plenty plenty_;
  std::uint64_t unit_, given_;
};

/// With a bandwidth lower in eighths of a factor of two.
void least_storage(PlanVariants& variants, Variant& plan) {
  if (!storage_use(variants.base()->world.storage).write) return;
  constexpr std::int64_t kSteps = 80;
  const auto with = [&](std::int64_t step) {
    Variant changed = plan;
    changed.storage = math_pow(kLeastStorage, static_cast<double>(kSteps - step) / kSteps);
    return changed;
  };
  const std::int64_t step = least(-1, kSteps, [&](std::int64_t each) { return variants.meets(with(each)); });
  if (step < kSteps) plan = with(step);
}

void least_crew(PlanVariants& variants, Variant& plan, std::uint32_t most_away) {
  const auto with = [&](std::int64_t technicians) {
    Variant changed = plan;
    changed.crew = static_cast<std::uint32_t>(technicians);
    return changed;
  };
  const std::uint32_t given = variants.base()->world.repair.crew;
  const std::int64_t most = given > 0 ? given : std::max(1U, most_away);
  if (given == 0 && !variants.meets(with(most))) return;  // more than that: always enough
  plan = with(least(0, most, [&](std::int64_t each) { return variants.meets(with(each)); }));
}

}  // namespace

std::int64_t least(std::int64_t fails, std::int64_t meets, const std::function<bool(std::int64_t)>& does) {
  while (meets - fails > 1) {
    const std::int64_t middle = fails + (meets - fails) / 2;
    (does(middle) ? meets : fails) = middle;
  }
  return meets;
}

Variant generous(const Variant& enough, const Variant& plenty, std::uint32_t given_crew, int step) {
  if (step == kGenerous) return plenty;
  Variant between = enough;
  const auto towards = [step](std::uint32_t from, std::uint32_t to) {
    return from + (std::max(from, to) - from) * static_cast<std::uint32_t>(step) / kGenerous;
  };
  between.spares = towards(*enough.spares, *plenty.spares);
  if (enough.crew) between.crew = towards(*enough.crew, given_crew > 0 ? given_crew : *plenty.spares);
  if (enough.storage) between.storage = math_pow(*enough.storage, 1 - static_cast<double>(step) / kGenerous);
  return between;
}

LeastPlan least_plan(PlanVariants& variants) {
  LeastPlan plan = Sizes(variants).search();
  if (variants.stopped()) return {};
  if (!plan.enough) return plan;
  plan.plenty = plan.enough;
  const auto number = variants.point(*plan.enough);
  if (!number || !variants.run(*number, variants.deciding())) return {};
  const std::uint32_t used = variants.most_spares_in_use(*number, variants.deciding());
  const auto with = [&](std::int64_t spares) {
    Variant changed = *plan.enough;
    changed.spares = static_cast<std::uint32_t>(spares);
    return changed;
  };
  const auto meets = [&](std::int64_t spares) { return variants.meets(with(spares)); };
  // The given number comes first: noise in the bisection may return more spares than a plan that meets the date.
  std::int64_t low = -1, high = *plan.enough->spares;
  if (const std::int64_t given = warm_spares(variants.base()->world); given < high)
    (meets(given) ? high : low) = given;
  plan.enough = with(least(low, high, meets));
  least_storage(variants, *plan.enough);
  least_crew(variants, *plan.enough, used);
  return variants.stopped() ? LeastPlan{} : plan;
}

}  // namespace gauntlet
