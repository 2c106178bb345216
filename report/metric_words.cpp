#include "report/metric_words.hpp"

namespace gauntlet {
namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"ettr", "effective time / wall time"},
    {"training_rate", "iterations, repeated ones included, x mean step time / wall time"},
    {"mfu", "model FLOPs of the completed steps / (the job's GPUs x their peak x wall time)"},
    {"goodput_tokens_per_s", "tokens of the completed steps / wall time"},
    {"wall_time_s", "until the work is done, the window is over, or the run gives up"},
    {"steps", "completed by then, repeated ones counted once"},
    {"gave_up", "share of runs that ended because they made no progress"},
    {"interruptions", "stopping faults on the job's hosts, planned stops and preemptions"},
    {"planned_stops", "stops that an operator wanted"},
    {"preemptions", "times that jobs of higher priority took its hosts"},
    {"false_alarms", "stops of a healthy job by a detector"},
    {"mttf_s", "time at risk / unplanned interruptions"},
    {"detection_latency_s",
     "from the onset of a fault that stops the job to the first order that answers it"},
    {"detection_latency_p50_s",
     "median of the time from the onset to the first order, over all detected faults"},
    {"detection_latency_p95_s", "95th percentile of the same"},
    {"handled_share", "of the stops by faults, those that ended without a person"},
    {"detection_and_diagnosis_s",
     "time undetected and diagnosing of a stop that was handled without a person"},
    {"detection.recall", "faults detected / those that needed an answer"},
    {"detection.precision", "faults detected / those and all false alarms and alerts"},
    {"false_alerts", "times that a person was told of a fault that did not exist"},
    {"missed_faults", "faults that needed an answer and got none"},
    {"missed_cost_s", "cost of the missed faults: slowdown, wrong steps, standstill"},
    {"evictions.right", "evicted hosts that had a fault which repair removes, or that flapped"},
    {"evictions.wrong", "evicted hosts without such a fault"},
    {"evictions.precision", "right evictions / all evictions"},
    {"wrong_evictions_cost_s", "cost of the wrong evictions, part of the other losses"},
    {"asked", "times that the policies called a person"},
    {"spares.max_in_use", "largest number of hosts in repair, or in use in place of one, at the same time"},
    {"spares.waited", "share of runs that spent any time waiting for a spare"},
    {"replicas.shrunk", "starts with fewer data-parallel replicas than the start before"},
    {"replicas.fewest", "data-parallel replicas of the smallest start"},
    {"gpu_hours", "of every GPU held, spares included"},
    {"cost", "of those GPU-hours, US dollars; none without cost.gpu_hour"},
    {"cost.lost", "cost less that of the effective time"},
    {"cost.per_effective_gpu_hour", "cost / (the job's GPUs x effective hours)"},
    {"effective_corrupt_s", "the part of the effective time after an undetected corruption"},
    {"lost_s.<phase>", "lost wall time by phase (docs/read-the-report.md has the phases)"},
    {"lost_s.by_cause.<cause>",
     "the same by what caused it: a fault, start, checkpoint, planned_stop, false_alarm ..."},
    {"faults.<fault>", "times that the fault struck the job's hosts, whether it stopped the job or not"},
    {"detection.by_kind.<fault>.met", "the same, and faults that came with a host which joined the job"},
    {"detection.by_kind.<fault>.detected", "of these, those that an order answered"},
    {"detection.by_kind.<fault>.missed", "of these, those that needed an answer and got none"},
    {"detection.by_kind.<fault>.recall", "detected / (detected + missed)"},
    {"detection.by_kind.<fault>.latency_p50_s", "median time from the onset to the first order"},
    {"detection.by_kind.<fault>.latency_p95_s", "95th percentile of the same"},
    {"detection.by_kind.<fault>.missed_cost_s", "cost of the missed faults"},
    {"detection.by_kind.<fault>.handled_share", "of its stops, those that ended without a person"},
    {"detection.by_kind.<fault>.detection_and_diagnosis_s", "time undetected and diagnosing of one of those"},
    {"detection.by_kind.<fault>.evictions_wrong", "wrong evictions in its stops"},
    {"detection.by_kind.<fault>.wrong_evictions_cost_s", "cost of these"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> metric_words() { return kWords; }

}  // namespace gauntlet
