#include "score/score.hpp"

#include "core/contract.hpp"
#include "score/charges.hpp"
#include "score/decisions.hpp"
#include "score/detection.hpp"
#include "score/over_time.hpp"
#include "score/phases.hpp"
#include "score/record_view.hpp"
#include "score/released.hpp"

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace gauntlet {
namespace {

/// Unplanned stops per second at risk, summed over the two clocks; `interrupted`: by kind. A fault of the training clock that
/// is there from the beginning, or follows another, can stop a job that never trains. Its time at risk is the wall time.
double unplanned_rate(const ScoreFacts& facts, const std::vector<std::uint32_t>& interrupted, Duration wall,
                      Duration training) {
  std::uint32_t stops[2] = {0, 0};
  for (std::size_t kind = 0; kind < interrupted.size(); ++kind)
    stops[facts.on_training_clock[kind] ? 1 : 0] += interrupted[kind];
  double rate = 0;
  if (stops[0] > 0) rate += stops[0] / to_seconds(wall);
  if (stops[1] > 0) rate += stops[1] / to_seconds(training > Duration::zero() ? training : wall);
  return rate;
}

/// Figures of nothing, in the memory of earlier ones.
void clear(Figures& figures, std::size_t kinds) {
  std::vector<PhaseTimes> lost = std::move(figures.lost);
  std::vector<std::uint32_t> faults = std::move(figures.faults);
  std::vector<double> compensated = std::move(figures.compensated);
  std::vector<FaultScore> fault_scores = std::move(figures.fault_scores);
  std::vector<Incident> incidents = std::move(figures.incidents);
  std::vector<TimeBucket> over_time = std::move(figures.over_time);
  lost.assign(kCausesWithoutFault + kinds, PhaseTimes{});
  faults.assign(kinds, 0);
  compensated.assign(kinds, 0);
  fault_scores.assign(kinds, FaultScore{});
  incidents.clear();
  over_time.clear();
  figures = {};
  figures.lost = std::move(lost);
  figures.faults = std::move(faults);
  figures.compensated = std::move(compensated);
  figures.fault_scores = std::move(fault_scores);
  figures.incidents = std::move(incidents);
  figures.over_time = std::move(over_time);
}

void fill(const ScoreFacts& facts, const TruthLog& truth, const ProgressLog& progress, const Record& record,
          Figures& figures, StopLook& look, ChargeListener* listener) {
  const Observed& last = record.observations.back();
  const Time end = last.at;
  figures.wall = end - kStart;
  if (const auto* finished = std::get_if<Finished>(&last.what)) figures.ending = finished->ending;
  const HostLog by_host(truth, look);
  const RecordView view(record, look);
  const Walked walked = charge_phases(by_host, progress, view, end, figures, look, listener);
  const std::vector<std::uint32_t> interrupted = judge_decisions(by_host, view, figures, look);
  judge_detection(by_host, view, walked, figures, look);
  figures.released = time_released(record, end, look);
  figures.unplanned_rate = unplanned_rate(facts, interrupted, figures.wall, walked.training);
}

void check_buckets(const Figures& figures) {
  PhaseTimes left = figures.phases;
  std::int64_t steps = figures.steps;
  for (const TimeBucket& bucket : figures.over_time) {
    for (std::size_t phase = 0; phase < kPhases; ++phase) left[phase] -= bucket.phases[phase];
    steps -= bucket.steps;
  }
  ensure(left == PhaseTimes{} && steps == 0, "the parts of the wall time add up to all of it");
}

bool every_nanosecond_has_a_phase(const Figures& figures) {
  return std::accumulate(figures.phases.begin(), figures.phases.end(), Duration::zero()) == figures.wall;
}

bool every_loss_has_a_cause(const Figures& figures) {
  PhaseTimes left = figures.phases;
  for (const PhaseTimes& of_cause : figures.lost)
    for (std::size_t phase = 0; phase < kPhases; ++phase) left[phase] -= of_cause[phase];
  PhaseTimes without_cause{};
  at(without_cause, Phase::effective) = at(figures.phases, Phase::effective);
  return left == without_cause;
}

void check_sums(const Figures& figures) {
  ensure(every_nanosecond_has_a_phase(figures), "every nanosecond of wall time has a phase");
  ensure(every_loss_has_a_cause(figures), "every lost nanosecond of a phase has a cause");
}

}  // namespace

bool score(const ScoreFacts& facts, const TruthLog& truth, const ProgressLog& progress, const Record& record,
           Figures& figures, const std::atomic<bool>* stop) {
  expect(!record.observations.empty(), "a run has at least its first observation");
  clear(figures, facts.on_training_clock.size());
  StopLook look(stop);
  std::optional<OverTime> over_time;
  if (facts.bucket > Duration::zero()) over_time.emplace(facts.bucket, figures.over_time);
  try {
    fill(facts, truth, progress, record, figures, look, over_time ? &*over_time : nullptr);
  } catch (const StopLook::Stopped&) {
    return false;
  }
  check_sums(figures);
  if (facts.bucket > Duration::zero()) check_buckets(figures);
  return true;
}

bool score_recorded(const ScoreFacts& facts, const RunLogs& logs, const Record& record, Figures& figures) {
  expect(!record.observations.empty(), "a run has at least its first observation");
  clear(figures, facts.on_training_clock.size());
  StopLook look(nullptr);
  fill(facts, logs.truth, logs.progress, record, figures, look, nullptr);
  return every_nanosecond_has_a_phase(figures) && every_loss_has_a_cause(figures);
}

void score(const ScoreFacts& facts, const TruthLog& truth, const ProgressLog& progress, const Record& record,
           Figures& figures, PhaseLog& phases) {
  expect(!record.observations.empty(), "a run has at least its first observation");
  clear(figures, facts.on_training_clock.size());
  StopLook look(nullptr);
  fill(facts, truth, progress, record, figures, look, &phases);
  check_sums(figures);
}

}  // namespace gauntlet
