// What each improvement of a scenario gains, made alone, and which of these gains can be told apart.
#pragma once

#include "study/summary/json.hpp"
#include "study/summary/paired_difference.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// A gain, positive where the lever improves the figure. Its interval holds with 95% after every number of replicas at which
/// the study may have stopped (study/levers/rank.hpp).
struct Gain {
  std::optional<double> by;      // absent where a mean is unknown
  std::optional<Interval> ci95;  // absent where all replicas gained the same, and events are possible
};

/// What a lever gains in each of the figures.
struct LeverGains {
  Gain time_s;   // wall time saved, for the work of a run as given
  Gain tokens;   // trained more, in the wall time of a run as given
  Gain cost;     // money saved, for the work of a run as given; nothing without a price
  Gain goodput;  // tokens per second of wall time more, as a share of the goodput as given
};

/// What a lever does to goodput, as far as the replicas tell. Gains and losses hold for all levers of a ranking together with 95%.
enum class LeverEffect : std::uint8_t {
  unclear,     // it may gain or lose
  gain,        // it certainly gains
  loss,        // it certainly loses
  unmeasured,  // no event was seen, or too few replicas were made, to say anything
};

struct RankedLever {
  std::string path;                                           // "job.start.warm_up", "faults.disk"
  std::string change;                                         // "108s to 54s", "half as often"
  std::vector<std::pair<std::string, std::string>> settings;  // that make it
  std::uint32_t replicas = 0;                                 // of it and of the scenario as given
  LeverGains gains;
  LeverEffect effect = LeverEffect::unmeasured;
  /// Positions below it, of levers that certainly gain or lose, that may gain as much or more; only of the first `claimed`.
  std::vector<std::size_t> not_told_from;
};

/// A lever that the scenario cannot have.
struct UntriedLever {
  std::string path, change, why;
};

struct LeverRanking {
  std::vector<RankedLever> levers;  // with an effect in some replica, by gain in goodput, the largest first
  std::vector<RankedLever> without_effect;  // the same goodput in every replica
  std::vector<UntriedLever> untried;
  /// Of a run as given: its work, which savings are for; the time that tokens are gained in; what it costs.
  double work_tokens = 0, wall_s = 0;
  std::optional<double> cost;
  std::string currency{"USD"};      // of every cost
  std::uint32_t replicas = 0;       // of every lever
  std::uint32_t most_replicas = 0;  // of those that were hard to tell apart
  std::uint32_t looks = 1;          // after which the study might have stopped
  /// Of the levers that certainly gain, the order of so many first ones was asked for; of so many it is certain, with 95% for all
  /// of them together.
  std::uint32_t claimed = 0, certain = 0;
  /// Positions of levers without a certain gain that may gain as much as one of the first `claimed`.
  std::vector<std::size_t> unplaced;
  bool interrupted = false;  // replicas are missing

  /// The most valuable lever of every report: the first one whose interval lies above zero; null where none does.
  const RankedLever* best() const;
};

/// {"work_tokens", "wall_s", "cost", "currency", "replicas", "most_replicas", "looks", "claimed", "certain",
///  "unplaced": [{"path", "change"}], "levers": [{"path", "change", "settings": {}, "replicas", "time_s": {"by", "ci95"}, "tokens",
///  "cost", "goodput", "effect": "gain", "loss", "unclear" or "unmeasured", "not_told_from": [{"path", "change"}]}], "without_effect": [...], "untried": [{"path", "change", "why"}]}. What is unknown is null.
Json json_of(const LeverRanking& of);

}  // namespace gauntlet
