#include "score/phases.hpp"

#include "core/record/evaluation.hpp"
#include "core/saturating.hpp"
#include "score/exit_watches.hpp"
#include "score/job_hosts.hpp"
#include "score/orders_by_time.hpp"
#include "score/record_view.hpp"
#include "score/truth_cursor.hpp"
#include "score/waits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

/// The cause of a stop that was ordered for another reason than a fault.
Cause cause_of(StopReason reason) {
  if (reason == StopReason::grow) return kCauseFewer;
  return reason == StopReason::preempted ? kCausePreempted : kCausePlanned;
}

/// Walks the wall time once: stretches of training, pauses, and gaps, in which the job is down.
class Walk {
 public:
  Walk(const HostLog& truth, const ProgressLog& progress, const RecordView& record, Figures& figures,
       StopLook& look, ChargeListener* listener)
      : log_(truth.log()),
        truth_(truth, hosts_, look),
        progress_(progress),
        record_(record),
        heard_(record.heard),
        figures_(figures),
        look_(look),
        listener_(listener),
        orders_(record_),
        exit_watches_(record_) {
    walked_.harm.resize(truth.log().size());
  }

  Walked run(Time end) {
    Time at = kStart;
    auto pause = progress_.pauses.begin();
    for (std::size_t i = 0; i <= progress_.stretches.size(); ++i) {
      look_.look();
      const bool last = i == progress_.stretches.size();
      const Time until = last ? end : progress_.stretches[i].begin;
      const Reached from = last ? Reached{} : beginning(i);
      for (; pause != progress_.pauses.end() && pause->end <= until; ++pause) {
        look_.look();
        if (at < pause->begin) down(at, pause->begin);
        if (!last && stopped_) redoing_ = progress_.stretches[i].first_step + from.steps < mark_;
        paused(*pause);
        at = pause->end;
      }
      const bool stops = !last && (!goes_on(progress_.stretches[i], from) || orders_.starts_at_once(until));
      if (at < until || stops) down(at, until);
      if (last) break;
      trained(progress_.stretches[i], from);
      at = progress_.stretches[i].end;
    }
    // The step that was incomplete at the end of the run.
    in_steps(under_way_, under_way_healthy_, under_way_fewer_, redoing_);
    if (incident_) close(end);
    figures_.steps = mark_;
    return std::move(walked_);
  }

 private:
  /// The state at the beginning of a stretch. After a pause it is the state at the end of the stretch before.
  Reached beginning(std::size_t i) const {
    const Stretch& stretch = progress_.stretches[i];
    if (i > 0 && stretch.resumes(progress_.stretches[i - 1])) return ended_;
    return stretch.reached_at(stretch.begin);
  }

  /// Whether training continues from the state that it had reached. It does not after a stop that lost progress, even
  /// if that stop took no time.
  bool goes_on(const Stretch& stretch, const Reached& from) const {
    return stopped_ || (stretch.first_step + from.steps == reached_ && from.into_step == under_way_);
  }

  void charge(Phase phase, Duration time, Cause cause) {
    if (time == Duration::zero()) return;
    at(figures_.phases, phase) += time;
    if (listener_ != nullptr) listener_->charge(phase, time, cause);
    if (phase == Phase::effective) return;
    at(figures_.lost[cause.value], phase) += time;
    const bool episode = phase == Phase::checkpoint_stall || phase == Phase::slowdown;
    if (incident_ && !episode) at(incident().lost, phase) += time;
  }
  Incident& incident() { return figures_.incidents[*incident_]; }
  void harmed(std::uint32_t onset, Duration time) { walked_.harm[onset] = sum(walked_.harm[onset], time); }

  /// Charges time in steps. `redone`: the steps had been completed before.
  void in_steps(Duration time, Duration healthy, Duration for_fewer, bool redone) {
    if (redone) return charge(Phase::recomputing, time, cause_);
    charge(Phase::effective, healthy, {});
    charge(Phase::slowdown, for_fewer, kCauseFewer);
    const Cause slow = slow_onset_ ? cause_of(log_[*slow_onset_].kind) : kCauseUnattributed;
    charge(Phase::slowdown, time - healthy - for_fewer, slow);
    if (slow_onset_) harmed(*slow_onset_, time - healthy - for_fewer);
  }

  /// Updates which hosts are in the job, from the record up to just before `when`.
  void follow_hosts(Time when) {
    for (; followed_ < heard_.size() && heard_[followed_].seen->at < when; ++followed_) {
      look_.look();
      const Heard& each = heard_[followed_];
      if (const auto* started = std::get_if<Started>(&each.seen->what)) {
        hosts_.on(*started);
        truth_.hosts_known();
      } else {
        hosts_.on(each.change);
        truth_.hosts_changed(each.change);
      }
    }
  }

  // --- training ------------------------------------------------------------------------------------------------------

  /// Charges a stretch in parts. `from`: its state at its beginning. The fault that slows it may change while its pace stays: of two
  /// equally slow hosts, one heals. A step keeps the fault that slowed it at its beginning.
  void trained(const Stretch& stretch, const Reached& from) {
    truth_.follow(stretch.begin);
    follow_hosts(stretch.begin + Duration(1));
    Stretch part = stretch;
    Reached at = from;
    bool began_before = from.into_step > Duration::zero();  // the first step did, and was paused
    while (true) {
      const Time until = began_before ? stretch.time_of_step(from.steps + 1) : end_of_part(part);
      part.end = std::min(until, stretch.end);
      if (!began_before) slow_onset_ = slowing(part);
      began_before = false;
      charge_part(part, at);
      if (part.end == stretch.end) return;
      at = ended_;
      part.begin = std::exchange(part.end, stretch.end);
      truth_.follow(part.begin);
    }
  }
  /// The end of the step or checkpoint in which the truth changes next. Steps of a drill that are counted together are slow before it, and
  /// not by a fault that strikes later: the first part ends where that step begins.
  Time end_of_part(const Stretch& rest) const {
    const Time change = truth_.next();
    if (change >= rest.end) return rest.end;
    const Reached reached = rest.reached_at(change);
    const Time begun = change - (reached.into_step + reached.into_stall);
    if (begun > rest.begin && rest.slow() && !truth_.slowed_since()) return begun;
    if (reached.into_stall > Duration::zero()) return rest.time_of_checkpoint(reached.checkpoints + 1);
    return reached.into_step > Duration::zero() ? rest.time_of_step(reached.steps + 1) : change;
  }
  /// The onset of the fault that slows a part: the worst at its beginning. A real step is paused or slowed at once: what pauses it within
  /// the part comes first, and what slows it there counts where nothing did at its beginning. A simulated stretch ends where a pause begins.
  std::optional<std::uint32_t> slowing(const Stretch& part) const {
    const auto struck = [&](double above) {
      return truth_.first_onset_before(part.end, [above](const Truth& each) {
        return each.on_job && each.disturbs && !each.corrupts && !each.stops && each.factor > above;
      });
    };
    if (!part.slow()) return truth_.slowed_since();
    if (const auto pause = struck(std::numeric_limits<double>::max())) return pause;
    const auto worst = truth_.slowed_since();
    return worst ? worst : struck(1);
  }
  /// The truth log has been followed up to the beginning of the part.
  void charge_part(const Stretch& stretch, const Reached& from) {
    const Reached to = stretch.reached_at(stretch.end, from);
    ended_ = to;
    const std::int64_t first = stretch.first_step + from.steps;
    const std::int64_t last = stretch.first_step + to.steps;
    const std::int64_t redone = std::clamp<std::int64_t>(mark_ - first, 0, last - first);
    const Time redone_until = first >= mark_ ? stretch.begin
                              : last < mark_ ? stretch.end
                                             : time_of_mark(stretch);
    const Reached redone_to = first >= mark_ ? from : last < mark_ ? to : stretch.reached_at(redone_until);
    in_pieces(listener_, stretch, stretch.begin, {from, redone_to, redone_until}, [&](const Piece& part) {
      in_steps(part.steps() * stretch.step + part.blocked(stretch.cadence), {}, {}, true);
    });
    if (incident_) {
      if (first < mark_ && incident().steps_lost == 0) incident().steps_lost = mark_ - first;
      if (last >= mark_) close(first < mark_ ? time_of_mark(stretch) : stretch.begin);
    }
    in_pieces(listener_, stretch, redone_until, {redone_to, to, stretch.end}, [&](const Piece& part) {
      const std::int64_t fresh = part.steps();
      in_steps(fresh * stretch.step, fresh * stretch.healthy_step, fresh * stretch.for_fewer, false);
      charge(Phase::checkpoint_stall, part.blocked(stretch.cadence), kCauseCheckpoint);
      if (listener_ != nullptr) listener_->completed(fresh, part.until);
    });
    count_corrupt(stretch, first, first + redone, last);
    figures_.iterations += last - first;
    figures_.iteration_time += (last - first) * stretch.step;
    walked_.training += stretch.end - stretch.begin;
    mark_ = std::max(mark_, last);
    reached_ = last;
    stopped_ = false;

    // The next gap or stretch decides whether the incomplete step is lost. Training after a pause completes it.
    under_way_ = to.into_step;
    const auto of_step = [&](Duration part) {
      if (part == Duration::zero()) return part;
      if (part == stretch.step) return under_way_;
      return from_seconds(to_seconds(under_way_) * to_seconds(part) / to_seconds(stretch.step));
    };
    // Each part is rounded by itself, and what is left of the step is charged to a slow host: never less than nothing, and nothing
    // where missing replicas alone make the step longer.
    under_way_healthy_ = std::min(of_step(stretch.healthy_step), under_way_);
    const Duration longer = under_way_ - under_way_healthy_;
    const bool fewer_alone = stretch.healthy_step + stretch.for_fewer == stretch.step;
    under_way_fewer_ = fewer_alone ? longer : std::min(of_step(stretch.for_fewer), longer);
    redoing_ = last < mark_;
  }

  /// The time at which a stretch that begins below the mark reaches it, before a checkpoint at that step.
  Time time_of_mark(const Stretch& stretch) const { return stretch.time_of_step(mark_ - stretch.first_step); }

  /// Counts the corrupt steps among the new steps [fresh, last) of a stretch that begins at step `first`. Steps are
  /// corrupt from the fault on. A start from an older checkpoint makes them correct again, unless a fault still
  /// corrupts them.
  void count_corrupt(const Stretch& stretch, std::int64_t first, std::int64_t fresh, std::int64_t last) {
    const TruthCursor::Active* corrupting = truth_.corruption();
    if (corrupt_step_ && stopped_ && first <= *corrupt_step_ && corrupting == nullptr) corrupt_step_.reset();
    if (!corrupt_step_ && corrupting != nullptr) {
      corrupt_step_ = first;
      corrupt_onset_ = corrupting->onset;
    }
    truth_.forget_corruption();  // a fault that struck while the job was down is in `corrupting`
    truth_.follow(stretch.end, orders_.before(stretch.end));
    if (const auto& corruption = truth_.corrupt_since(); corruption && !corrupt_step_) {
      corrupt_step_ = stretch.first_step + stretch.reached_at(corruption->since).steps;
      corrupt_onset_ = corruption->onset;
    }
    if (!corrupt_step_) return;
    const std::int64_t wrong = last - std::clamp(*corrupt_step_, fresh, last);
    figures_.effective_corrupt += wrong * stretch.healthy_step;
    harmed(corrupt_onset_, wrong * stretch.healthy_step);
  }

  void paused(const Pause& pause) {
    const Duration time = pause.end - pause.begin;
    // An evaluation of steps that were evaluated before is recomputing too.
    if (redoing_) return charge(Phase::recomputing, time, cause_);
    if (pause.kind == kEvaluation) return charge(Phase::planned, time, kCauseEvaluation);
    charge(Phase::slowdown, time, cause_of(pause.kind));
  }

  // --- gaps ----------------------------------------------------------------------------------------------------------

  void down(Time from, Time to) {
    const std::size_t given = orders_.before(from);
    stop_order_ = stop_order(from, given);
    const bool stopped_earlier = stop_order_ && *stop_order_ < given;
    order_ = std::max(order_, stopped_earlier ? *stop_order_ : given);
    const std::size_t gap_ends = orders_.of_gap(to);
    if (stop_order_ && !stopped_earlier)
      truth_.follow(from, *stop_order_);
    else
      truth_.follow(from);
    follow_hosts(from);
    held_for_.reset();
    starting_.reset();
    Phase stage = open(from, gap_ends);
    charge(stage, std::exchange(under_way_, {}), cause_);  // the step that was cut
    under_way_healthy_ = under_way_fewer_ = {};
    stopped_ = true;

    Time at = from;
    // The time of a planned stop is charged to the stop request, even if a fault had stopped the job before.
    const auto charge_stage = [&](Time when) {
      charge(stage, when - at, stage == Phase::planned ? held_for_.value_or(cause_) : cause_);
    };
    const auto move_to = [&](Phase next, Time when) {
      charge_stage(when);
      at = when;
      stage = next;
    };
    const Truth* strike = incident_ ? nullptr : truth_.stop_between(from, to);  // in the first start
    const auto struck_before = [&](Time when) {
      if (strike == nullptr || strike->at > when) return;
      move_to(stage, strike->at);
      stopped_by(*std::exchange(strike, nullptr));
    };
    // Reads observations up to `when`, but only among the first `count`.
    const auto follow_until = [&](Time when, std::size_t count) {
      const auto among = record_.observations.first(std::min(count, record_.observations.size()));
      for (; seen_ < among.size() && among[seen_].at <= when; ++seen_) {
        look_.look();
        const Observed& seen = among[seen_];
        if (std::holds_alternative<Seen>(seen.what)) continue;  // they end no wait
        waits_.on(seen);
        if (seen.at < from) continue;
        if (has_started(seen) && seen.at < to) {
          struck_before(seen.at - Duration(1));
          move_to(Phase::undetected, seen.at);
        } else if (const auto next = waits_.next(stage, seen.at)) {
          move_to(*next, seen.at);
        }
      }
      struck_before(when);
    };
    for (; order_ < gap_ends; ++order_) {
      const RecordedOrder& each = record_.orders[order_];
      const Time given = std::max(each.at, from);
      follow_until(given, each.observations);
      if (incident_ && std::holds_alternative<Ask>(each.order.what)) ++incident().asked;
      const std::optional<Phase> next = waits_.on(each.order, given, stage);
      if (!next) continue;
      if (unanswered_) answered(given);
      move_to(*next, given);
      if (*next == Phase::planned) held_for_ = cause_of(std::get<Stop>(each.order.what).reason);
      if (*next == Phase::restarting) {
        starting_ = each.order.id;
        if (incident_) ++incident().restarts;
      }
    }
    // An order of the instant `to` belongs to the next gap, and so does its outcome.
    const bool more = order_ < record_.orders.size();
    follow_until(to, more ? record_.orders[order_].observations : record_.observations.size());
    charge_stage(to);
  }

  /// Whether the start in progress has succeeded. If the gap continues after it, the job has stopped again,
  /// undetected so far.
  bool has_started(const Observed& seen) const {
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    return outcome != nullptr && outcome->order == starting_ && outcome->status == Status::done;
  }

  /// Begins a gap: finds the cause of the stop, and returns the first phase of the gap.
  Phase open(Time when, std::size_t gap_ends) {
    unanswered_ = false;
    if (when == kStart) {
      cause_ = kCauseStart;
      return Phase::restarting;
    }
    if (const Truth* stop = truth_.stop_at(when)) {
      stopped_by(*stop);
      return Phase::undetected;
    }
    if (stop_order_) {
      const StopReason reason = std::get<Stop>(record_.orders[*stop_order_].order.what).reason;
      if (reason != StopReason::fault) {
        held_for_ = cause_of(reason);
        join_or_open(when, *held_for_, {});
        return Phase::planned;
      }
    }
    if (const std::optional<TruthCursor::Active> reason = reason_to_stop(when, gap_ends)) {
      join_or_open(when, cause_of(reason->kind), reason->component);
      walked_.stops.push_back({when, reason->onset});
    } else if (answers_an_exit()) {
      join_or_open(when, kCauseUnattributed, {});
    } else {
      join_or_open(when, kCauseFalseAlarm, {});
      ++figures_.false_alarms;
    }
    return Phase::diagnosing;
  }

  void stopped_by(const Truth& stop) {
    if (!join_or_open(stop.at, cause_of(stop.kind), stop.component)) return;
    incident().unplanned = true;
    unanswered_ = true;
  }

  /// The fault that justifies a stop of a job that no fault had stopped. In this order: a fault that pauses the job;
  /// a fault of the hosts that are evicted before the next start, active or flapping; if no host is evicted, the
  /// worst fault that a restart cures; a fault that corrupts the numbers. Nothing if the stop is a false alarm.
  std::optional<TruthCursor::Active> reason_to_stop(Time when, std::size_t gap_ends) const {
    const TruthCursor::Active* worst = truth_.disturbance();
    if (worst != nullptr && std::isinf(worst->factor)) return *worst;
    const std::vector<HostId> evicted = evicted_before_the_next_start(gap_ends);
    if (const TruthCursor::Active* found = truth_.harm_of(evicted)) return *found;
    if (auto found = truth_.flaps(evicted, when)) return found;
    if (worst != nullptr && evicted.empty() && !worst->repairable) return *worst;  // a restart cures it
    if (const TruthCursor::Active* corrupting = truth_.corruption()) return *corrupting;
    // The fault has ended, but the numbers are still corrupt.
    if (corrupt_step_ && next_start_goes_back(gap_ends))
      return TruthCursor::Active{log_[corrupt_onset_], corrupt_onset_};
    return std::nullopt;
  }

  /// Whether the next start loads an older checkpoint than the newest one.
  bool next_start_goes_back(std::size_t gap_ends) const {
    for (std::size_t i = order_; i < gap_ends; ++i)
      if (const auto* start = std::get_if<Start>(&record_.orders[i].order.what)) return start->back > 0;
    return false;
  }

  /// The hosts of the job with an order to evict them in this gap, before its next start.
  std::vector<HostId> evicted_before_the_next_start(std::size_t gap_ends) const {
    std::vector<HostId> hosts;
    for (std::size_t i = order_; i < gap_ends; ++i) {
      const Action& what = record_.orders[i].order.what;
      if (std::holds_alternative<Start>(what)) break;
      if (const auto* evict = std::get_if<Evict>(&what); evict != nullptr && hosts_.in_job(evict->host))
        hosts.push_back(evict->host);
    }
    return hosts;
  }

  /// Whether the stop answers the exit of a rank. Then it is not a false alarm, although no known fault explains it.
  bool answers_an_exit() const {
    if (!stop_order_) return false;
    const std::size_t answered = record_.orders[*stop_order_].observations - 1;
    const auto* seen = std::get_if<Seen>(&record_.observations[answered].what);
    if (seen == nullptr) return false;
    return exit_watches_.contains(seen->watch);
  }

  /// Which order took the job down at `when`: an order to stop of that instant, or the first one since the last order to start, as the
  /// ranks of a real job train on until they end. `given`: the number of orders before `when`.
  std::optional<std::size_t> stop_order(Time when, std::size_t given) const {
    for (std::size_t i = std::max(order_, given); i < record_.orders.size() && record_.orders[i].at == when;
         ++i, look_.look())
      if (std::holds_alternative<Stop>(record_.orders[i].order.what)) return i;
    std::optional<std::size_t> found;
    for (std::size_t i = given; i-- > 0; look_.look()) {
      const Action& what = record_.orders[i].order.what;
      if (std::holds_alternative<Start>(what)) break;
      if (std::holds_alternative<Stop>(what)) found = i;
    }
    return found;
  }

  /// Returns whether it opened an incident. An incident that is open already goes on.
  bool join_or_open(Time when, Cause cause, ComponentId component) {
    if (incident_) return false;
    cause_ = cause;
    incident_ = figures_.incidents.size();
    Incident& opened = figures_.incidents.emplace_back();
    opened.opened = opened.closed = when;
    opened.cause = cause;
    opened.component = component;
    opened.stops = 0;
    return true;
  }

  void answered(Time when) {
    unanswered_ = false;
    Incident& current = incident();
    current.detected = true;
    current.detection_latency = when - current.opened;
    figures_.detection_latency_sum = sum(figures_.detection_latency_sum, current.detection_latency);
    ++figures_.detected;
  }

  void close(Time when) {
    incident().closed = when;
    incident_.reset();
  }

  const std::span<const Truth> log_;
  JobHosts hosts_;
  TruthCursor truth_;
  const ProgressLog& progress_;
  const RecordView& record_;
  const std::span<const Heard> heard_;
  Figures& figures_;
  StopLook& look_;
  ChargeListener* listener_;  // null unless somebody asks when the charges fell
  OrdersByTime orders_;
  std::size_t order_ = 0, seen_ = 0;       // the next order and observation of the gaps
  std::optional<std::size_t> stop_order_;  // that began the gap, if one did
  Waits waits_;
  ExitWatches exit_watches_;
  std::size_t followed_ = 0;  // what hosts_ hear next

  std::optional<std::size_t> incident_;  // the open incident
  Cause cause_ = kCauseStart;      // what the present stop, and the recomputation after it, is charged to
  std::optional<Cause> held_for_;  // the reason of the planned stop in the present gap
  std::optional<std::uint32_t> slow_onset_;  // of the fault that slows the present part
  bool unanswered_ = false;                  // a fault opened the incident and no order has answered it
  std::optional<OrderId> starting_;          // the start in progress

  std::int64_t mark_ = 0;     // the most steps ever complete: steps below it are repeated
  std::int64_t reached_ = 0;  // complete steps at the end of the last stretch
  Reached ended_;             // the state at that time
  bool stopped_ = false;      // the last gap has no stretch after it so far
  Duration under_way_{}, under_way_healthy_{},
      under_way_fewer_{};                     // of the step that the last stretch left unfinished
  bool redoing_ = false;                      // whether that step, or the next one, is below the mark
  std::optional<std::int64_t> corrupt_step_;  // steps from here on are wrong
  std::uint32_t corrupt_onset_ = 0;           // because of this fault
  Walked walked_;
};

}  // namespace

Walked charge_phases(const HostLog& truth, const ProgressLog& progress, const RecordView& record, Time end,
                     Figures& figures, StopLook& look, ChargeListener* listener) {
  return Walk(truth, progress, record, figures, look, listener).run(end);
}

}  // namespace gauntlet
