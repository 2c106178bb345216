// The one list of what is measured of a replica, under the names that every report, file and script uses.
#pragma once

#include "score/figures.hpp"
#include "score/latencies.hpp"
#include "study/summary/facts.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What one replica adds to a metric. A plain measure has the denominator 1; a ratio has its own.
///
/// The mean of a metric over replicas is the sum of the numerators over the sum of the denominators. So a ratio is that
/// of all time together, long runs counting as long as they are (ETTR and the shares of the losses add up to 100%), and
/// a replica without failures still adds its time to a mean time to failure.
struct Fraction {
  double numerator = 0;
  double denominator = 1;  // from zero up

  /// Of this replica alone; nothing where it does not define the metric (a mean time to failure without a failure).
  std::optional<double> value() const {
    return denominator > 0 ? std::optional(numerator / denominator) : std::nullopt;
  }
};

/// Which values of a metric are the bad ones.
enum class Worse : std::uint8_t {
  neither,  // neither the low nor the high ones: it counts what was wanted, or what policies and faults share
  low,
  high,
};

/// What the value of one run is, which says how values of many runs are summed up (study/statistics.hpp).
enum class RunValue : std::uint8_t {
  amount,
  happened,  // 1 where something happened in the run, else 0: its mean is a share of the runs
  /// What a run takes to come to its end. A run that gave up never does: it counts as worse than all that did.
  whole_run,
};

/// gave_up and spares.waited happen; wall_time_s, gpu_hours and cost are of a whole run.
RunValue run_value_of(std::string_view metric);

/// Whether it is a share of time, of runs or of decisions, which reports give in percent.
bool is_share(std::string_view metric);
/// Whether it is a time, in seconds.
bool is_time(std::string_view metric);

/// One measure.
struct Metric {
  std::string name;
  Worse worse = Worse::neither;
  RunValue value = RunValue::amount;
  std::function<Fraction(const Figures&)> of;
  /// A quantile of latencies: those of a replica are added to what others gave. Over replicas its mean is then the quantile
  /// of all latencies together, without an error; else this is null. Quantiles of the same latencies share it, one after the other.
  using Pool = std::function<void(const Figures&, Latencies& all)>;
  std::shared_ptr<const Pool> pool;
  double quantile = 0;  // of what was pooled
};

/// Every metric of a scenario, in the order in which they are reported. Times are in seconds, money in the scenario's currency:
///
/// - ettr: effective time / wall time
/// - training_rate: iterations x mean step time / wall time (MegaScale, NSDI'24, https://arxiv.org/abs/2402.15627)
/// - mfu: model FLOPs of the completed steps / (the job's GPUs x peak x wall time)
/// - goodput_tokens_per_s: tokens of the completed steps / wall time
/// - wall_time_s: until the work was done, the window was over or the run gave up; steps: completed by then
/// - gave_up: 1 for a run that ended because it made no progress for too long, else 0. Among single values of wall_time_s, gpu_hours and
///   cost such a run is worse than all others (RunValue::whole_run)
/// - interruptions: stopping faults on the job's hosts, those that strike a job which is already stopped included,
///   planned stops and preemptions; planned_stops, preemptions (by jobs of higher priority), false_alarms (stops of a healthy job, no
///   interruptions); replicas.shrunk (starts with fewer data-parallel replicas than before), replicas.fewest (of any start)
/// - mttf_s: time at risk / unplanned interruptions. The time at risk is the wall time, and the interruptions are
///   counted as if each clock ran as long as that: wall time x (their rates on their clocks, summed)
/// - detection_latency_s: from onset to the first order, over the incidents that a fault opened and an order answered
/// - handled_share: unplanned stops that were answered and ended without a person being asked, or noticing by himself / all
///   incidents that a fault opened by stopping the job; detection_and_diagnosis_s: of the handled ones, `undetected` and
///   `diagnosing` time a stop
/// - detection.recall: faults detected / (detected + missed); detection.precision: faults detected / (detected +
///   false_alarms + false_alerts); false_alerts: alerts to a person about what was not there; missed_faults, missed_cost_s
///   (what they cost). score/figures.hpp says what is detected, missed and harmless
/// - detection_latency_p50_s, detection_latency_p95_s: of all faults detected, to 0.4%
/// - evictions.right, evictions.wrong (of hosts with a fault that repair removes, and of others), evictions.precision: right /
///   all; wrong_evictions_cost_s: what the wrong ones cost, a part of the other losses; asked (times that a person was
///   asked), spares.max_in_use (hosts in repair or standing in for one)
/// - spares.waited: 1 for a run that waited for a spare at all, else 0
/// - gpu_hours, cost: of every GPU held, spares included, those of the job not while it had given them back; spares at their own
///   price, and the checkpoints that storage keeps; no cost without a price of a GPU. cost.lost: (1 - ettr) x what it would
///   have cost without giving hosts back, less what that saved;
///   cost.per_effective_gpu_hour: cost / (the job's GPUs x effective hours)
/// - effective_corrupt_s: the part of the effective time after an undetected corruption
/// - lost_s.<phase>, for every phase but `effective`; lost_s.by_cause.<cause>, causes that are not a fault first
/// - faults.<fault>: onsets on the job's hosts, stopping or not
/// - detection.by_kind.<fault>.<measure>: met (onsets on the job's hosts, and what came with hosts that joined it), detected,
///   missed, recall, latency_p50_s, latency_p95_s, missed_cost_s; of the incidents that the kind opened handled_share,
///   detection_and_diagnosis_s, evictions_wrong, wrong_evictions_cost_s
std::vector<Metric> metrics_of(const ScenarioFacts& facts);

/// Which values of a metric of a scenario are the bad ones, by its name.
Worse worse_of(const ScenarioFacts& facts, std::string_view metric);

/// The names of all causes, by Cause: those that are not a fault, then the fault kinds.
std::vector<std::string> cause_names(const ScenarioFacts& facts);

}  // namespace gauntlet
