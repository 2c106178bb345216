#include "report/metric_words.hpp"

namespace gauntlet {
namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"ettr", "effective time / wall time. With the shares of the losses it adds up to 100%"},
    {"training_rate",
     "iterations, repeated ones included, x mean step time / wall time: the measure of MegaScale "
     "(https://arxiv.org/abs/2402.15627). It counts recomputed and slow steps as training"},
    {"mfu", "model FLOPs of the completed steps / (the job's GPUs x their peak x wall time)"},
    {"goodput_tokens_per_s", "tokens of the completed steps / wall time. Repeated steps count once"},
    {"wall_time_s", "time until the work is done, the window is over, or the run gives up"},
    {"steps", "steps that are completed by then. Repeated ones count once"},
    {"gave_up",
     "share of runs that ended because they made no progress for job.give_up_after, or in 10,000 starts in a "
     "row. `gauntlet run` then ends with exit code 1"},
    {"interruptions",
     "stopping faults on the job's hosts, planned stops and preemptions. A fault that strikes a job which is "
     "already stopped counts too, and so does a fault that a spare host brings along when it joins"},
    {"planned_stops", "stops that an operator wanted"},
    {"preemptions", "times that jobs of higher priority took the job's hosts"},
    {"false_alarms", "stops of a healthy job by a detector. They are not interruptions"},
    {"mttf_s",
     "time at risk / unplanned interruptions, over all runs together. A spare host that failed while it was "
     "idle "
     "interrupts the job when it joins, so with spare hosts it is below that of the job's own "
     "hosts"},
    {"detection_latency_s",
     "time from the onset of a fault that stops the job to the first order that answers it"},
    {"detection_latency_p50_s",
     "median of the time from the onset to the first order, over all detected faults, exact to 0.4%"},
    {"detection_latency_p95_s",
     "95th percentile of the time from the onset to the first order, over all detected faults, exact to "
     "0.4%"},
    {"handled_share",
     "share of the stops by faults that an order answered and that ended without a person. Neither was a "
     "person asked, nor did a person notice the stop"},
    {"detection_and_diagnosis_s",
     "`undetected` and `diagnosing` time of a stop that was handled without a person"},
    {"detection.recall", "faults detected / faults that needed an answer"},
    {"detection.precision", "faults detected / (faults detected + false alarms + false alerts)"},
    {"false_alerts", "times that a person was told of a fault that did not exist"},
    {"missed_faults", "faults that needed an answer and got none before they, or the run, ended"},
    {"missed_cost_s",
     "cost of the missed faults: the slowdown, the wrong steps and the standstill that are charged to them"},
    {"evictions.right",
     "evicted hosts that had a fault which repair removes, or that flapped: at least two flaps in the 12 h "
     "before"},
    {"evictions.wrong", "evicted hosts without such a fault"},
    {"evictions.precision", "correct evictions / all evictions"},
    {"wrong_evictions_cost_s",
     "cost of the wrong evictions, part of the other losses. It is all of a false alarm in which they were "
     "evicted. In a real stop it is the failed starts with the culprit still there, and the waits for spares "
     "that these evictions alone caused"},
    {"asked", "times that the policies called a person"},
    {"spares.max_in_use",
     "largest number of hosts that were in repair, or in use in place of one, at the same time"},
    {"spares.waited", "share of runs that spent any time in `waiting_for_spare`"},
    {"replicas.shrunk", "starts with fewer data-parallel replicas than the start before"},
    {"replicas.fewest", "data-parallel replicas of the smallest start"},
    {"gpu_hours",
     "hours of every GPU held, spares included, for the wall time, less the hosts that were given back"},
    {"cost",
     "GPU-hours x cost.gpu_hour. Spare hosts cost cost.idle_gpu_hour where it is given. cost.tb_month is "
     "added "
     "for the data in storage. There is none without cost.gpu_hour"},
    {"cost.lost",
     "cost of the time that is not effective, less what was saved by hosts that were given back"},
    {"cost.per_effective_gpu_hour", "cost / (the job's GPUs x effective hours)"},
    {"effective_corrupt_s",
     "the part of the effective time after an undetected corruption: it counts as effective, but its steps "
     "are wrong"},
    {"lost_s.<phase>", "lost wall time in that phase"},
    {"lost_s.by_cause.<cause>",
     "lost wall time that is charged to that cause: a fault, start, checkpoint, planned_stop, false_alarm "
     "..."},
    {"faults.<fault>",
     "times that the fault struck the job's hosts, mean per run, whether it stopped the job or not"},
    {"detection.by_kind.<fault>.met",
     "faults that struck the job's hosts, and faults that came with a host that joined the job"},
    {"detection.by_kind.<fault>.detected", "faults of this kind that an order answered"},
    {"detection.by_kind.<fault>.missed", "faults of this kind that needed an answer and got none"},
    {"detection.by_kind.<fault>.recall", "detected / (detected + missed) of this kind"},
    {"detection.by_kind.<fault>.latency_p50_s", "median time from the onset to the first order"},
    {"detection.by_kind.<fault>.latency_p95_s",
     "95th percentile of the time from the onset to the first order"},
    {"detection.by_kind.<fault>.missed_cost_s", "cost of the missed faults of this kind"},
    {"detection.by_kind.<fault>.handled_share",
     "share of the stops by this kind that ended without a person"},
    {"detection.by_kind.<fault>.detection_and_diagnosis_s",
     "`undetected` and `diagnosing` time of a stop by this kind that was handled without a person"},
    {"detection.by_kind.<fault>.evictions_wrong", "wrong evictions in the stops by this kind"},
    {"detection.by_kind.<fault>.wrong_evictions_cost_s",
     "cost of the wrong evictions in the stops by this kind"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> metric_words() { return kWords; }

}  // namespace gauntlet
