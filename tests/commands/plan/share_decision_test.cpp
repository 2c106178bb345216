// Decisions whether enough runs are in time, on runs that are made up with a known chance.
#include "commands/plan/share_decision.hpp"

#include "commands/plan/search.hpp"
#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

namespace gauntlet {
namespace {

constexpr double kAsked = 0.95;

EstimatedShare counted(double hits, std::uint32_t runs) {
  return {.value = hits / runs, .error = std::sqrt(kAsked * (1 - kAsked) / runs)};
}

/// Of which `late(runs)` of the first so many runs are late.
template <class Late>
ShareDecision decided(const ShareTerms& terms, const Late& late) {
  const auto share = [&](std::uint32_t runs) {
    return std::optional(counted(static_cast<double>(runs) - late(runs), runs));
  };
  return decide_share(terms, share, share);
}

TEST(ShareDecision, QuickLooksDropWhatIsFarTooLate) {
  const ShareDecision decision = decided({}, [](std::uint32_t runs) { return runs / 2; });
  EXPECT_FALSE(decision.enough);
  EXPECT_EQ(decision.runs, 16);
}

TEST(ShareDecision, AFirstLookLetsPassWhatOtherRunsCheck) {
  const auto none = [](std::uint32_t) { return 0; };
  EXPECT_TRUE(decided({}, none).enough);
  EXPECT_EQ(decided({}, none).runs, 64);
  EXPECT_TRUE(decided({.checked = false}, none).enough);
  EXPECT_EQ(decided({.checked = false}, none).runs, 200);
}

TEST(ShareDecision, AShareAboveTheMarginIsEnoughAndOneBelowTheAskedShareIsNot) {
  const ShareDecision above = decided({}, [](std::uint32_t runs) { return runs > 64 ? 6 : 2; });
  EXPECT_TRUE(above.enough);
  EXPECT_EQ(above.runs, 200);
  const ShareDecision below = decided({}, [](std::uint32_t runs) { return runs > 64 ? 11 : 2; });
  EXPECT_FALSE(below.enough);
  EXPECT_EQ(below.runs, 200);
}

TEST(ShareDecision, AShareBetweenThemGetsMoreRuns) {
  // 96% of 200 runs, then 97% or 94% of 400.
  const auto later = [](std::uint32_t late_of_400) {
    return [late_of_400](std::uint32_t runs) { return runs <= 64 ? 2 : runs == 200 ? 8 : late_of_400; };
  };
  EXPECT_TRUE(decided({}, later(12)).enough);
  EXPECT_EQ(decided({}, later(12)).runs, 400);
  EXPECT_FALSE(decided({}, later(24)).enough);
  EXPECT_EQ(decided({}, later(24)).runs, 400);
  const auto always = [](std::uint32_t runs) { return runs / 25; };
  EXPECT_EQ(decided({.most = 800}, always).runs, 800);
  EXPECT_TRUE(decided({.most = 800}, always).enough) << "the margin of 800 runs is half as wide";
  EXPECT_EQ(decided({.most = 799}, always).runs, 400);
  EXPECT_FALSE(decided({.most = 799}, always).enough);
}

TEST(ShareDecision, EndsWithAStudyThatIsStopped) {
  const auto stopped = [](std::uint32_t) { return std::optional<EstimatedShare>(); };
  EXPECT_FALSE(decide_share({}, stopped, stopped).enough);
  const auto runs = [](std::uint32_t n) { return std::optional(counted(n - n / 25, n)); };
  EXPECT_FALSE(decide_share({}, runs, stopped).enough);
}

/// The chance of a run to be in time, by the spares of a job: it rises to a plateau just above the asked share.
double chance(std::int64_t spares) {
  constexpr double kOf[] = {0, 0, 0, 0.1, 0.4, 0.65, 0.82, 0.91, 0.96, 0.969, 0.973, 0.976};
  return spares < std::int64_t{std::size(kOf)} ? kOf[spares] : 0.978;
}
constexpr std::int64_t kEnough = 8, kPlateau = 12, kPlenty = 33;

/// What a search finds whose runs are drawn by the number of the trial.
std::int64_t found(std::uint64_t trial, const ShareTerms& terms) {
  const auto does = [&](std::int64_t spares) {
    const auto share = [&](std::uint32_t runs) {
      Stream chances({.study = trial}, stream_name("test.run"), static_cast<std::uint64_t>(spares));
      double hits = 0;
      for (std::uint32_t i = 0; i < runs; ++i) hits += chances.uniform() < chance(spares) ? 1 : 0;
      return std::optional(counted(hits, runs));
    };
    return decide_share(terms, share, share).enough;
  };
  return least(0, kPlenty, does);
}

/// The share of the trials that end beyond the least that is enough and the plateau.
struct Ends {
  double below = 0, beyond = 0;
};
Ends ends(const ShareTerms& terms) {
  constexpr int kTrials = 400;
  Ends ends;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::int64_t spares = found(static_cast<std::uint64_t>(trial), terms);
    if (spares < kEnough) ends.below += 1.0 / kTrials;
    if (spares > kPlateau) ends.beyond += 1.0 / kTrials;
  }
  return ends;
}

TEST(ShareDecision, APlateauAboveTheAskedShareDoesNotSendASearchBeyondIt) {
  const Ends now = ends({.most = 400}), once = ends({.most = 200});
  EXPECT_LT(now.beyond, 0.07);
  EXPECT_LT(now.below, 0.03);
  EXPECT_GT(once.beyond, 3 * now.beyond) << "where a doubt ends a decision";
}

}  // namespace
}  // namespace gauntlet
