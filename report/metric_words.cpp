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
    {"detection_latency_p50_s", "the same of all faults detected, half of them sooner"},
    {"detection_latency_p95_s", "the same, 95% of them sooner"},
    {"handled_share", "of the stops by faults, those that ended without a person"},
    {"detection_and_diagnosis_s",
     "time undetected and diagnosing of a stop that was handled without a person"},
    {"detection.recall", "faults detected / those that needed an answer"},
    {"detection.precision", "faults detected / those and all false alarms and alerts"},
    {"false_alerts", "times that a person was told of what was not there"},
    {"missed_faults", "faults that needed an answer and got none"},
    {"missed_cost_s", "what they cost: slowdown, wrong steps, standstill"},
    {"evictions.right", "hosts taken out that had a fault which repair removes, or flapped"},
    {"evictions.wrong", "hosts taken out that had none"},
    {"evictions.precision", "right ones / all"},
    {"wrong_evictions_cost_s", "what the wrong ones cost, a part of the other losses"},
    {"asked", "times that the policies called a person"},
    {"spares.max_in_use", "hosts in repair, or standing in for one, at the worst moment"},
    {"spares.waited", "share of runs that waited for a spare at all"},
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
    {"faults.<fault>", "times that it struck the job's hosts, whether it stopped the job or not"},
    {"detection.by_kind.<fault>.met", "those, and faults that came with a host which joined the job"},
    {"detection.by_kind.<fault>.detected", "of these, those that an order answered"},
    {"detection.by_kind.<fault>.missed", "of these, those that needed an answer and got none"},
    {"detection.by_kind.<fault>.recall", "detected / (detected + missed)"},
    {"detection.by_kind.<fault>.latency_p50_s", "from the onset to the first order, half of them sooner"},
    {"detection.by_kind.<fault>.latency_p95_s", "the same, 95% of them sooner"},
    {"detection.by_kind.<fault>.missed_cost_s", "what the missed ones cost"},
    {"detection.by_kind.<fault>.handled_share", "of its stops, those that ended without a person"},
    {"detection.by_kind.<fault>.detection_and_diagnosis_s", "time undetected and diagnosing of one of those"},
    {"detection.by_kind.<fault>.evictions_wrong", "hosts taken out wrongly in its stops"},
    {"detection.by_kind.<fault>.wrong_evictions_cost_s", "what those cost"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> metric_words() { return kWords; }

}  // namespace gauntlet
