#include "commands/plan/share_decision.hpp"

#include "study/binomial.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// Each next look is at so many times as many runs. A decision by 200 runs has one look, one by more has several.
constexpr std::uint32_t kMoreLooks = 4;
/// Runs of a quick look before the first one. It only drops plans that are far too late.
constexpr std::uint32_t kQuickLook = 16;
/// A look decides where the interval of this level leaves the asked share out.
constexpr double kBeyondDoubt = 0.998;
/// What seems to meet the date is checked by other runs. Until such a check has failed, this level is enough for it: a variant whose share is
/// just below the asked one passes a look with a probability of 5% at most.
constexpr double kToBeChecked = 0.9;

}  // namespace

ShareDecision decide_share(const ShareTerms& terms, const ShareOfFirst& looked, const ShareOfFirst& share) {
  const auto look = [&](std::uint32_t runs) -> std::optional<bool> {
    const std::optional<EstimatedShare> seen = looked(runs);
    if (!seen) return false;
    const double hits = std::nearbyint(seen->value * static_cast<double>(runs));
    if (clopper_pearson(hits, runs, kBeyondDoubt).high < terms.asked) return false;
    const double level = terms.checked ? kToBeChecked : kBeyondDoubt;
    return clopper_pearson(hits, runs, level).low >= terms.asked ? std::optional(true) : std::nullopt;
  };
  if (terms.quick && kQuickLook < terms.first_look && !look(kQuickLook).value_or(true))
    return {.enough = false, .runs = kQuickLook};
  for (std::uint32_t runs = terms.first_look; runs < terms.deciding; runs *= kMoreLooks)
    if (const std::optional<bool> decided = look(runs)) return {.enough = *decided, .runs = runs};
  for (std::uint32_t runs = terms.deciding; true; runs *= 2) {
    const std::optional<EstimatedShare> all = share(runs);
    if (!all) return {.enough = false, .runs = runs};
    const bool enough = all->value >= std::min(1.0, terms.asked + all->error);
    const bool in_doubt = !enough && all->value >= terms.asked;
    if (!in_doubt || runs > terms.most / 2) return {.enough = enough, .runs = runs};
  }
}

}  // namespace gauntlet
