// Whatever happens, the score adds up: random runs, consistent but otherwise wild, against what their making tells.
#include "tests/score/hand_made_run.hpp"

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace gauntlet {
namespace {

std::int64_t between(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}
bool one_in(std::int64_t n) { return between(1, n) == n; }  // a smaller example has fewer of these
std::uint32_t some_host() { return static_cast<std::uint32_t>(between(0, 5)); }

constexpr Duration kMostSlower = 20s;  // a step, than a healthy one

/// Up to about `longest`; often whole seconds, so that things happen at the same time, and at times none at all.
Duration some_time(Duration longest) {
  if (one_in(4)) return 0s;
  const Duration whole = between(0, longest / 1s) * Duration(1s);
  return one_in(3) ? whole + Duration(between(0, 999'999'999)) : whole;
}

/// Makes a run, and counts what the score should find by simpler means.
class RandomRun {
 public:
  RandomRun() {
    if (one_in(2)) run_.strikes(0s, kSlow, 3);
    now_ += 1ns;  // the first start takes some time: what stops the job at 0 s is part of it
    is_down_until_a_start_succeeds();
    first_start = up_ ? now_ : kForever;
    for (std::int64_t turns = between(0, 12); turns > 0 && up_; --turns) trains_and_stops();
    if (up_) trains();
    if (!up_) {
      now_ += some_time(50s) + 1ns;  // a stop in the last moment is none
      down += now_ - went_down_;
    }
    first_start = std::min({first_start, now_, first_stop_});
    figures = run_.finishes(now_);
  }

  /// The same run, scored in parts too.
  Figures scored_over_time(Duration bucket) const { return run_.scored_over_time(bucket); }

  Figures figures;
  Duration first_start{};
  Duration down{};      // in gaps, that one included
  Duration cut{};       // of steps that stops cut
  Duration training{};  // in stretches
  Duration paused{};
  std::int64_t mark = 0, iterations = 0;
  std::uint32_t interruptions = 0;

 private:
  // --- up ---------------------------------------------------------------------------------------------------------------

  void trains_and_stops() {
    if (one_in(6) && pauses_and_is_cut()) return;
    trains();
    for (std::int64_t goes_on = between(0, 3); goes_on > 0; --goes_on) {
      if (one_in(3)) {
        changes_pace();
        continue;
      }
      const Stretch before = stretch_;
      if (pauses_and_is_cut()) return;
      stretch_ = before;
      stretch_.origin += (kStart + now_) - before.end;
      goes_on_for(some_time(100s) + 1ns);
      run_.goes_on(stretch_.begin - kStart, stretch_.end - kStart);
    }
    switch (between(0, 2)) {
      case 0:
        fault_strikes(/*on_job=*/true);
        break;
      case 1:
        run_.order(now_, Stop{JobId{0}, StopReason::planned});
        break;
      default:
        run_.order(now_, Stop{JobId{0}});
        break;
    }
    stops();
  }

  /// At some pace, from a step boundary on.
  void trains() {
    HandMadeTraining how{.from_step = step_};
    if (one_in(3)) how.step = kStep + some_time(kMostSlower);
    if (one_in(2))
      how.for_fewer = one_in(2) ? how.step - kStep : std::min(some_time(kMostSlower), how.step - kStep);
    if (!one_in(3)) how.cadence = {.first = between(0, 5), .every = between(1, 5), .stall = some_time(8s)};
    if (one_in(8)) how.cadence.every = kNoCheckpoint;
    stretch_ = {.begin = {},
                .end = {},
                .origin = kStart + now_,
                .first_step = step_,
                .step = how.step,
                .healthy_step = kStep,
                .for_fewer = how.for_fewer,
                .cadence = how.cadence};
    goes_on_for(some_time(200s) + 1ns);
    run_.trains(stretch_.begin - kStart, stretch_.end - kStart, how);
  }

  /// Trains on to the next boundary and from there at another pace.
  void changes_pace() {
    const Reached reached = stretch_.reached_at(stretch_.end);
    const Duration to_boundary = reached.into_stall > 0s  ? stretch_.cadence.stall - reached.into_stall
                                 : reached.into_step > 0s ? stretch_.step - reached.into_step
                                                          : 0s;
    if (to_boundary > 0s) {
      goes_on_for(to_boundary);
      run_.goes_on(stretch_.begin - kStart, stretch_.end - kStart);
    }
    trains();
  }

  void goes_on_for(Duration time) {
    stretch_.begin = kStart + now_;
    stretch_.end = stretch_.begin + time;
    slow_faults_change(now_, now_ + time);
    now_ += time;
    const Reached before = stretch_.reached_at(stretch_.begin), after = stretch_.reached_at(stretch_.end);
    training += time;
    iterations += after.steps - before.steps;
    step_ = stretch_.first_step + after.steps;
    into_step_ = after.into_step;
    mark = std::max(mark, step_);
  }

  /// Slow faults come, grow and go within a stretch, whose pace they need not change.
  void slow_faults_change(Duration from, Duration until) {
    for (std::int64_t changes = between(0, 3); changes > 0; --changes) {
      from += some_time(until - from);
      if (from >= until) return;
      if (leaks_ && one_in(2)) {
        run_.grows(from, kLeak, 2, 1.3);
        continue;
      }
      leaks_ = !leaks_;
      if (leaks_)
        run_.strikes(from, kLeak, 2, /*on_job=*/!one_in(3));
      else
        run_.ends(from, kLeak, 2);
    }
  }

  bool pauses_and_is_cut() {
    const Duration from = now_;
    run_.strikes(from, kBlip, 1);
    now_ += some_time(60s);
    run_.pauses(from, now_);
    paused += now_ - from;
    const bool is_cut = one_in(3);
    if (is_cut) {
      if (one_in(2))
        run_.escalates(now_, kBlip, 1), ++interruptions;
      else
        fault_strikes(/*on_job=*/true);
      stops();
    }
    run_.ends(now_, kBlip, 1);
    return is_cut;
  }

  // --- down -------------------------------------------------------------------------------------------------------------

  void stops() {
    up_ = false;
    cut += into_step_;
    into_step_ = 0s;
    went_down_ = now_;
    is_down_until_a_start_succeeds();
  }

  /// Or until the run ends.
  void is_down_until_a_start_succeeds() {
    for (std::int64_t tries = between(0, 5); tries > 0; --tries) {
      for (std::int64_t things = between(0, 6); things > 0; --things) {
        now_ += some_time(40s);
        something_happens();
      }
      const OrderId start = run_.order(now_, Start{JobId{0}, 600s});
      now_ += some_time(60s);
      if (one_in(6)) {
        run_.answer(now_, start, {}, Status::failed);
        continue;
      }
      step_ = between(0, mark);
      run_.answer(now_, start, Loaded{step_});
      if (one_in(6)) {
        run_.returns(now_, kCrash, some_host());
        stopped_once();
        continue;
      }
      down += now_ - went_down_;
      up_ = true;
      return;
    }
  }

  void something_happens() {
    const HostId host{some_host()};
    switch (between(0, 10)) {
      case 0:
        fault_strikes(one_in(2));
        break;
      case 1:
        run_.order(now_, Stop{JobId{0}});
        break;
      case 2:
        run_.order(now_, Stop{JobId{0}, StopReason::planned});
        break;
      case 3:
        run_.order(now_, Probe{.probe = ProbeId{0}, .who = {}, .report = {}});
        break;
      case 4:
        run_.order(now_, Ask{JobId{0}});
        break;
      case 5:
        run_.order(now_, Alert{JobId{0}, {}});
        break;
      case 6:
        run_.carried_out(now_, Evict{host});
        break;
      case 7:
        run_.carried_out(now_, Acquire{JobId{0}}, Granted{host});
        break;
      case 8:
        run_.carried_out(now_, Readmit{host});
        break;
      case 9:
        run_.see(now_, StopRequest{JobId{0}, 60s}), ++interruptions;
        break;
      default:
        run_.strikes(now_, kCorrupt, host.value);
        break;
    }
  }

  void fault_strikes(bool on_job) {
    run_.strikes(now_, one_in(2) ? kCrash : kHang, some_host(), on_job);
    if (on_job) ++interruptions, stopped_once();
  }
  void stopped_once() {
    if (first_stop_ == kForever && now_ > 0s) first_stop_ = now_;
  }

  HandMadeRun run_;
  Duration now_{}, went_down_{};
  Duration first_stop_ = kForever;  // by a fault: the first start is over then
  bool leaks_ = false;              // a host is slow
  Stretch stretch_;
  std::int64_t step_ = 0;  // complete, or loaded
  Duration into_step_{};
  bool up_ = false;
};

constexpr Phase kDown[] = {Phase::undetected, Phase::diagnosing, Phase::waiting_for_spare, Phase::restarting,
                           Phase::planned};

Duration sum_down(const PhaseTimes& phases) {
  Duration sum{};
  for (const Phase phase : kDown) sum += at(phases, phase);
  return sum;
}

RC_GTEST_PROP(TheScore, AddsUp, ()) {
  const RandomRun run;
  const Figures& figures = run.figures;

  // Phases are the wall time; the causes of each are all of it, but of `effective`, which has none.
  RC_ASSERT(std::accumulate(figures.phases.begin(), figures.phases.end(), Duration{}) == figures.wall);
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    Duration charged{};
    for (const PhaseTimes& cause : figures.lost) {
      RC_ASSERT(cause[phase] >= 0s);
      charged += cause[phase];
    }
    const bool effective = static_cast<Phase>(phase) == Phase::effective;
    RC_ASSERT(figures.phases[phase] >= 0s);
    RC_ASSERT(charged == (effective ? 0s : figures.phases[phase]));
  }
  Duration lost{};
  for (std::uint32_t cause = 0; cause < figures.lost.size(); ++cause) lost += lost_to(figures, {cause});
  RC_ASSERT(lost == figures.wall - at(figures.phases, Phase::effective));

  // A stopped job's phases are the gaps and the steps that were cut; all else is training and pauses.
  RC_ASSERT(sum_down(figures.phases) == run.down + run.cut);
  RC_ASSERT(figures.wall - run.down == run.training + run.paused);

  // The mark is what was gained, each step once, with the one under way at the end.
  RC_ASSERT(figures.steps == run.mark);
  RC_ASSERT(figures.iterations == run.iterations);
  const Duration under_way = at(figures.phases, Phase::effective) - run.mark * kStep;
  RC_ASSERT(under_way >= 0s);
  RC_ASSERT(under_way < kStep);
  RC_ASSERT(figures.effective_corrupt <= at(figures.phases, Phase::effective));

  RC_ASSERT(figures.interruptions == run.interruptions);
}

RC_GTEST_PROP(TheScore, AddsUpOverTime, ()) {
  const RandomRun run;
  const Duration bucket = some_time(300s) + 1s;
  const Figures figures = run.scored_over_time(bucket);

  // Parts change nothing of the whole, each is full but for the last one, and together they are all of it.
  RC_ASSERT(figures.phases == run.figures.phases);
  RC_ASSERT(figures.lost == run.figures.lost);
  RC_ASSERT(figures.fault_scores == run.figures.fault_scores);
  RC_ASSERT(figures.effective_corrupt == run.figures.effective_corrupt);
  RC_ASSERT(figures.iterations == run.figures.iterations);
  PhaseTimes sums{};
  std::int64_t steps = 0;
  Duration left = figures.wall;
  for (const TimeBucket& part : figures.over_time) {
    RC_ASSERT(part.steps >= 0);
    steps += part.steps;
    Duration length{};
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      sums[phase] += part.phases[phase];
      length += part.phases[phase];
    }
    RC_ASSERT(length == std::min(left, bucket));
    left -= length;
    // A new step is as much effective time as a healthy one takes. At each end of the part, what passed of one step, slow as it may
    // be, is charged on the other side.
    const Duration effective = at(part.phases, Phase::effective), both_ends = 2 * (kStep + kMostSlower + 1s);
    RC_ASSERT(effective >= part.steps * kStep - both_ends);
    RC_ASSERT(effective <= part.steps * kStep + both_ends);
  }
  RC_ASSERT(left == 0s);
  RC_ASSERT(sums == figures.phases);
  RC_ASSERT(steps == figures.steps);
}

RC_GTEST_PROP(TheScore, HasIncidentsThatDoNotOverlapAndHoldTheirPart, ()) {
  const RandomRun run;
  const Figures& figures = run.figures;

  Time before = kStart;
  std::uint32_t stops = 0, detected = 0;
  Duration latency{};
  PhaseTimes lost{};
  for (const Incident& incident : figures.incidents) {
    RC_ASSERT(incident.opened >= before);
    RC_ASSERT(incident.closed >= incident.opened);
    before = incident.closed;
    stops += incident.stops;
    detected += incident.detected ? 1 : 0;
    latency += incident.detection_latency;
    RC_ASSERT(incident.detection_latency >= 0s);
    RC_ASSERT(incident.steps_lost >= 0);
    RC_ASSERT(incident.steps_lost <= figures.steps);
    for (std::size_t i = 0; i < kPhases; ++i) lost[i] += incident.lost[i];
    RC_ASSERT(incident.lost[static_cast<std::size_t>(Phase::effective)] == 0s);
  }
  RC_ASSERT(before <= kStart + figures.wall);
  RC_ASSERT(stops <= figures.interruptions);
  RC_ASSERT(detected == figures.detected);
  RC_ASSERT(latency == figures.detection_latency_sum);
  // All that is redone, and all gaps but the first start, belong to incidents.
  RC_ASSERT(at(lost, Phase::recomputing) == at(figures.phases, Phase::recomputing));
  for (const Phase phase : kDown) RC_ASSERT(at(lost, phase) <= at(figures.phases, phase));
  RC_ASSERT(sum_down(figures.phases) - sum_down(lost) == run.first_start);
}

RC_GTEST_PROP(TheScore, KnowsWhatBecameOfEveryFault, ()) {
  const RandomRun run;
  const Figures& figures = run.figures;

  std::uint32_t detected = 0, wrong = 0;
  Duration missed{};
  for (std::size_t kind = 0; kind < kFaultKinds; ++kind) {
    const FaultScore& score = figures.fault_scores[kind];
    RC_ASSERT(score.detected + score.missed <= score.met);  // the rest was harmless
    RC_ASSERT(score.met >= figures.faults[kind]);
    RC_ASSERT(score.latencies.count() == score.detected);
    RC_ASSERT(score.handled <= score.incidents);
    detected += score.detected;
    wrong += score.evictions_wrong;
    missed += score.missed_cost;
  }
  // Those that opened an incident, and others. One that strikes between a probe and the end of the first start opens an
  // incident too, though it waits for no answer.
  RC_ASSERT(detected + 1 >= figures.detected);
  RC_ASSERT(wrong <= figures.evictions_wrong);
  RC_ASSERT(missed <= figures.wall);

  Duration cost{};
  for (const Incident& incident : figures.incidents) {
    RC_ASSERT(!incident.handled || (incident.unplanned && incident.detected && incident.asked == 0));
    RC_ASSERT(incident.wrong_evictions >= 0s);
    Duration lost{};
    for (const Duration part : incident.lost) lost += part;
    const bool false_alarm = incident.cause == kCauseFalseAlarm;
    RC_ASSERT(incident.wrong_evictions <= (false_alarm ? lost : incident.closed - incident.opened));
    cost += incident.wrong_evictions;
  }
  RC_ASSERT(cost == figures.wrong_evictions);
}

}  // namespace
}  // namespace gauntlet
