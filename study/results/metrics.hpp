// The one list of what is measured of a replica, under the names that every report, file and script uses.
#pragma once

#include "score/figures.hpp"
#include "study/results/facts.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// One measure. `of` returns nothing for a replica that does not define it (a mean time to failure without a failure):
/// such replicas are left out of the statistics and counted, never taken as zero.
struct Metric {
  std::string name;
  std::function<std::optional<double>(const Figures&)> of;
};

/// Every metric of a scenario, in the order in which they are reported. Times are in seconds, money in US dollars:
///
/// - ettr: effective time / wall time
/// - training_rate: iterations x mean step time / wall time (MegaScale, NSDI'24, https://arxiv.org/abs/2402.15627)
/// - mfu: model FLOPs of the completed steps / (the job's GPUs x peak x wall time)
/// - goodput_tokens_per_s: tokens of the completed steps / wall time
/// - wall_time_s, interruptions, planned_stops, false_alarms
/// - mttf_s: time at risk / unplanned interruptions
/// - detection_latency_s: mean over the replica's incidents that a fault opened and an order answered
/// - evictions.right, evictions.wrong, asked (times that a person was asked), spares.max_in_use
/// - gpu_hours, cost: of every GPU held, spares included; no cost without a price
/// - effective_corrupt_s: the part of the effective time after an undetected corruption
/// - lost_s.<phase>, for every phase but `effective`; lost_s.by_cause.<cause>, causes that are no fault first
/// - faults.<fault>: onsets on the job's hosts, stopping or not
std::vector<Metric> metrics_of(const ScenarioFacts& facts);

/// The names of all causes, by Cause: those that are no fault, then the fault kinds.
std::vector<std::string> cause_names(const ScenarioFacts& facts);

}  // namespace gauntlet
