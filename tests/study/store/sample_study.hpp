// A small study made by hand, for the tests of whoever reads or writes results.
#pragma once

#include "score/figures.hpp"
#include "study/summary/metrics.hpp"
#include "study/summary/summary.hpp"

#include <chrono>

namespace gauntlet {

inline ScenarioFacts sample_facts() {
  return {.name = "sample",
          .question = "What do two kinds of faults cost eight hosts?",
          .version = "0.1.0",
          .seed = 7,
          .gpus = 64,
          .gpus_held = 80,
          .hosts = 8,
          .spares = 2,
          .peak = {1e15},
          .tokens_per_step = 1e6,
          .flops_per_step = {3.2e16},
          .gpu_hour = {2},
          .window = std::chrono::hours(1),
          .steps = 0,
          .give_up_after = std::chrono::hours(24),
          .faults = {"gpu", "nic"}};
}

/// A wall time of 3,600 s: 3,000 s effective, 100 + k s restarting, 500 - k s recomputing; the faults cost 350 s and
/// 100 s, the start 100 s, what nothing explains 50 s.
inline Figures sample_figures(std::uint32_t k) {
  using std::chrono::seconds;
  Figures of;
  of.ending = Ending::time_over;
  of.wall = seconds(3600);
  at(of.phases, Phase::effective) = seconds(3000);
  at(of.phases, Phase::restarting) = seconds(100 + k);
  at(of.phases, Phase::recomputing) = seconds(500 - k);
  of.lost.assign(kCausesWithoutFault + 2, PhaseTimes{});
  at(of.lost[kCauseStart.value], Phase::restarting) = seconds(100);
  at(of.lost[kCauseUnattributed.value], Phase::recomputing) = seconds(50);
  at(of.lost[cause_of(FaultKindId{0}).value], Phase::restarting) = seconds(k);
  at(of.lost[cause_of(FaultKindId{0}).value], Phase::recomputing) = seconds(350 - k);
  at(of.lost[cause_of(FaultKindId{1}).value], Phase::recomputing) = seconds(100);
  of.steps = 3000;
  of.iterations = 3500;
  of.iteration_time = seconds(3500);
  of.interruptions = 3 + k;
  of.planned_stops = 1;
  of.faults = {2 + k, 0};
  of.compensated = {0.25 + k, -1.5};
  of.compensated_work = k - 0.125;
  of.tiltable_strikes = 3 + k;
  of.tiltable_expected = 2.75;
  of.unplanned_rate = k == 0 ? 0 : k / 1000.0;
  of.detection_latency_sum = seconds(60);
  of.detected = 2;
  of.evictions_right = 2;
  of.evictions_wrong = 1;
  of.spares_max_in_use = 2;
  // Of 3 + k faults of GPUs two were detected, after 10 s and 50 s, and one was missed; k did no harm.
  of.fault_scores.resize(2);
  FaultScore& gpu = of.fault_scores[0];
  gpu.met = 3 + k;
  gpu.detected = 2;
  gpu.missed = 1;
  gpu.latencies.add(seconds(10));
  gpu.latencies.add(seconds(50));
  gpu.missed_cost = seconds(40);
  gpu.incidents = 2;
  gpu.handled = 1;
  gpu.handled_time = seconds(30);
  gpu.evictions_wrong = 1;
  gpu.wrong_evictions = seconds(20);
  of.false_alerts = 2;
  of.wrong_evictions = seconds(25);
  of.fingerprint = 0x1111111111111111U * (k + 1);
  Incident incident;
  incident.opened = Time(seconds(10));
  incident.closed = Time(seconds(70));
  incident.cause = cause_of(FaultKindId{0});
  incident.component = {ComponentKind::gpu, 5};
  incident.detected = true;
  incident.detection_latency = seconds(30);
  incident.unplanned = incident.handled = true;
  incident.wrong_evictions = seconds(20);
  at(incident.lost, Phase::restarting) = seconds(60);
  of.incidents = {incident};
  return of;
}

/// Its replicas 0 .. count-1. Statistics hold means alone: how they are made is the business of study/.
inline Summary sample_summary(std::uint32_t count) {
  Summary out;
  out.facts = sample_facts();
  out.replicas = count;
  out.fingerprint = kNoFingerprint;
  for (const Metric& metric : metrics_of(out.facts)) out.metrics.push_back({metric.name, {}});
  const std::vector<Metric> metrics = metrics_of(out.facts);
  std::vector<Fraction> sums(metrics.size(), Fraction{0, 0});
  for (std::uint32_t k = 0; k < count; ++k) {
    const Figures figures = sample_figures(k);
    out.fingerprint = add_fingerprint(out.fingerprint, figures.fingerprint);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const Fraction of = metrics[i].of(figures);
      sums[i].numerator += of.numerator;
      sums[i].denominator += of.denominator;
      out.metrics[i].statistics.n += of.value().has_value();
      out.metrics[i].statistics.mean = sums[i].value();
    }
  }
  return out;
}

}  // namespace gauntlet
