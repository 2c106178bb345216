// Figures with something in every member, for tests of what keeps them.
#pragma once

#include "score/figures.hpp"
#include "tests/core/test_numbers.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Phases add up to the wall time, causes to the phases. Half of the times are zero, as in real runs.
inline Figures random_figures(std::uint64_t seed, std::uint32_t kinds, std::uint32_t incidents = 2) {
  TestNumbers numbers(seed * 2654435761 + 1);
  const auto count = [&] { return static_cast<std::uint32_t>(numbers.below(1000)); };
  const auto time = [&] {
    return numbers.below(2) == 0 ? Duration{}
                                 : Duration(static_cast<std::int64_t>(numbers.below(1ULL << 47)));
  };
  Figures of;
  of.ending = static_cast<Ending>(numbers.below(4));
  of.lost.assign(kCausesWithoutFault + kinds, PhaseTimes{});
  at(of.phases, Phase::effective) = time();
  for (PhaseTimes& cause : of.lost)
    for (std::size_t phase = 1; phase < kPhases; ++phase) of.phases[phase] += cause[phase] = time();
  for (const Duration phase : of.phases) of.wall += phase;
  of.effective_corrupt = time();
  of.steps = static_cast<std::int64_t>(numbers.below(1ULL << 40));
  of.iterations = static_cast<std::int64_t>(numbers.below(1ULL << 40));
  of.iteration_time = time();
  for (std::uint32_t* each :
       {&of.interruptions, &of.planned_stops, &of.false_alarms, &of.detected, &of.evictions_right,
        &of.evictions_wrong, &of.asked, &of.spares_max_in_use, &of.false_alerts})
    *each = count();
  of.wrong_evictions = time();
  for (std::uint32_t kind = 0; kind < kinds; ++kind) of.faults.push_back(count());
  for (std::uint32_t kind = 0; kind < kinds; ++kind) {
    FaultScore& score = of.fault_scores.emplace_back();
    score.detected = static_cast<std::uint32_t>(numbers.below(4));
    score.missed = count();
    score.met = score.detected + score.missed + count();
    for (std::uint32_t i = 0; i < score.detected; ++i) score.latencies.add(time());
    score.missed_cost = time();
    score.incidents = count();
    score.handled = count();
    score.handled_time = time();
    score.evictions_wrong = count();
    score.wrong_evictions = time();
  }
  for (std::uint32_t kind = 0; kind < kinds; ++kind)
    of.compensated.push_back((static_cast<double>(numbers.below(1ULL << 46)) - 0x1p45) *
                             0x1.fedcba9876543p-40);
  of.compensated_work = (static_cast<double>(numbers.below(1ULL << 46)) - 0x1p45) * 0x1.3579bdf02468ap-35;
  of.tiltable_strikes = count();
  of.tiltable_expected = static_cast<double>(numbers.below(1ULL << 46)) * 0x1.3579bdf02468ap-35;
  of.unplanned_rate = static_cast<double>(numbers.below(1ULL << 46)) * 0x1.23456789abcdep-60;
  of.detection_latency_sum = time();
  of.fingerprint = seed * 0x9e3779b97f4a7c15U;
  for (std::uint32_t i = 0; i < incidents; ++i) {
    Incident& incident = of.incidents.emplace_back();
    incident.opened = kStart + time();
    incident.closed = incident.opened + time();
    incident.cause = {static_cast<std::uint32_t>(numbers.below(kCausesWithoutFault + kinds))};
    incident.component = {static_cast<ComponentKind>(numbers.below(9)), count()};
    incident.detected = numbers.below(2) == 1;
    if (incident.detected) incident.detection_latency = time();
    incident.stops = count();
    incident.restarts = count();
    incident.evictions_right = count();
    incident.evictions_wrong = count();
    incident.asked = count();
    incident.unplanned = numbers.below(2) == 1;
    incident.noticed = numbers.below(2) == 1;
    incident.handled = numbers.below(2) == 1;
    incident.wrong_evictions = time();
    incident.steps_lost = static_cast<std::int64_t>(numbers.below(1ULL << 40));
    for (std::size_t phase = 1; phase < kPhases; ++phase) incident.lost[phase] = time();
  }
  return of;
}

}  // namespace gauntlet
