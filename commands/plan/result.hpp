// What a plan found: whether the work is done by the date, what it takes, and what one more of each thing buys.
#pragma once

#include "core/calendar.hpp"
#include "study/finish/result.hpp"
#include "study/point.hpp"
#include "study/summary/lever_ranking.hpp"
#include "study/summary/summary.hpp"
#include "study/uncertainty/result.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The things that a plan buys.
struct PlanSize {
  std::uint64_t gpus = 0;      // of the job
  std::uint32_t replicas = 0;  // data-parallel ones
  std::uint32_t hosts = 0, spares = 0;
  std::uint32_t global_batch = 0;  // sequences
  std::int64_t steps = 0;
  std::uint32_t crew = 0;                             // technicians; zero: always enough
  std::string storage_write = {}, storage_read = {};  // "2TB/s"; empty where it is not used
  friend bool operator==(const PlanSize&, const PlanSize&) = default;
};

/// One variant of the plan and its runs.
struct PlanOutcome {
  PlanSize size;
  Settings settings =
      {};  // over the scenario as given, with its work as a number of steps (scenario.toml of --out)
  std::uint32_t first = 0;  // the number of its first run
  ShareOfRuns by_date;      // of no runs without a date
  FinishTimes finish;
  Statistics cost, gpu_hours;  // of a run; no cost without a price
};

/// One more of one thing, the rest as given.
struct Purchase {
  std::string what;  // "1 data-parallel replica (128 GPUs)"
  Change p95;        // of the finishing time, seconds
  Change share;      // of runs done by the date; nothing without one
  Change mean;       // of the finishing time, seconds; unknown where a run of either never finishes
  Change cost;       // in the scenario's currency; of GPU-hours where there is no price
};

/// One parameter at its low and its high end, the rest as given.
struct Sensitivity {
  std::string path;
  std::string low, high;   // its 5% and 95% values
  Change at_low, at_high;  // of the target, against the scenario as given
  std::string cut = {};    // as UncertainParameter has it
  double swing() const {
    const double a = at_low.by.value_or(0), b = at_high.by.value_or(0);
    return a > b ? a - b : b - a;
  }
};

/// One-at-a-time sensitivities, the widest first.
struct Tornado {
  std::string target;  // "finish.p50" (seconds) or "ettr"
  std::uint32_t replicas = 0;
  std::vector<Sensitivity> bars;
};

struct PlanResult {
  bool too_few =
      false;  // runs of `enough`, or draws: they could not show the asked share even if all were done in time
  ScenarioFacts facts;                // of the plan as given
  double tokens = 0;                  // the work
  std::optional<double> finish_by_s;  // without it, the plan only says when the work is done
  double confidence = 0;
  std::optional<CalendarDay> start;   // the first day of the job: times are shown as dates too
  std::vector<std::size_t> percents;  // of the runs whose finish is reported, 1 to 99, rising
  std::uint32_t replicas = 0;  // of each variant; as_given, `enough` and `best` may have more (by_date.runs)
  bool interrupted = false;    // what is missing was not reached

  PlanOutcome as_given;
  /// The least that meets the date; each thing at its least after those before it in PlanSize (GPUs, spares, storage,
  /// crew). Its runs are others than those by which it was chosen. Absent where nothing does.
  std::optional<PlanOutcome> enough;
  /// Where nothing meets the date: the best of the sizes that were tried, and when the asked share of its runs is done.
  std::optional<PlanOutcome> best;
  std::optional<double> best_by_s;        // with parameter uncertainty, where that was asked for
  std::vector<Purchase> one_more;         // than as given
  std::vector<Purchase> enough_one_more;  // than `enough`
  Tornado tornado;
  LeverRanking levers;                            // of the plan as given
  std::optional<Uncertainty> uncertainty;         // of the plan as given
  std::optional<Uncertainty> enough_uncertainty;  // of `enough`
  std::optional<Uncertainty> best_uncertainty;    // of `best`
  std::vector<std::string> notes;                 // what the plan takes for granted

  /// Whether `enough` misses the date in the runs that check it. The search ends after some rounds, whatever their checks say.
  bool misses() const {
    if (!enough) return false;
    const bool has_draws = enough_uncertainty && enough_uncertainty->draws > 0;
    const std::optional<double> share =
        has_draws ? enough_uncertainty->share_by_date : enough->by_date.value();
    return share.value_or(1) < confidence;
  }
};

/// So many runs that about ten of them are late where the share of runs done by the date is exactly `confidence`. Counting late runs
/// says little with fewer.
inline std::uint32_t runs_that_show(double confidence) {
  constexpr double kLate = 10, kRounding = 1e-9;  // 0.9 takes 100, not 101
  return static_cast<std::uint32_t>(std::ceil(kLate / (1 - confidence) - kRounding));
}

/// {"scenario", "version", "seed", "currency", "tokens", "finish_by_s", "confidence", "replicas", "interval", "as_given": {"gpus", ..., "settings": {},
///  "share_by_date": {"value", "ci95", "n"}, "finish_s": {"p1", "p5", "p50", ..., "worst_5_mean"}, "cost": {...}, "gpu_hours": {...}},
///  "enough", "best", "one_more": [...], "levers": {...}, "sensitivity": {...}, "uncertainty": {...}, "enough_uncertainty",
///  "best_uncertainty", "notes"}. What is unknown is null.
std::string to_json(const PlanResult& result);

}  // namespace gauntlet
