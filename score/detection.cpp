#include "score/detection.hpp"

#include "score/job_hosts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

/// Whether an alert about `who` may mean this fault. Which host a GPU or a NIC is in, the truth knows of its own alone.
bool names(ComponentId who, const Truth& fault) {
  if (who.kind == ComponentKind::job || who == fault.component) return true;
  return who.kind == ComponentKind::host && concerns(fault, HostId{who.index});
}

/// A fault that is there, or that has ended and still waits for an answer.
struct Case {
  Truth fault;
  std::uint32_t onset = 0;  // its place in the log
  bool met = false;         // the job
  bool stops = false;       // the job: from the beginning, or since it escalated
  bool waiting = false;     // the job stands still for it, or is about to, and no order has answered
  bool answered = false;
  bool ended = false;
  Time since;  // when it began to do harm
};

class Detection {
 public:
  Detection(const TruthLog& truth, const Walked& walked, Figures& figures)
      : truth_(truth), walked_(walked), figures_(figures) {}

  /// The truth up to and including `until`.
  void follow(Time until) {
    for (; next_ < truth_.size() && truth_[next_].at <= until; ++next_) happened(truth_[next_]);
  }
  void heard(Time at, const Observation& what) {
    const auto* outcome = std::get_if<Outcome>(&what);
    const auto* granted = outcome != nullptr ? std::get_if<Granted>(&outcome->result) : nullptr;
    if (granted == nullptr) return;
    for (Case& each : cases_) {
      if (!each.met && !each.stops && concerns(each.fault, granted->host)) meets(each, at);
    }
  }
  void ordered(const RecordedOrder& order) {
    std::visit([&](const auto& what) { on(order.at, what); }, order.order.what);
  }
  void finish(Time end) {
    // Several may hold one job: the first one pays for its standing still.
    const auto first = std::min_element(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      return std::pair(!a.waiting, a.since) < std::pair(!b.waiting, b.since);
    });
    if (first != cases_.end() && first->waiting) score_of(*first).missed_cost += end - first->since;
    for (Case& each : cases_) settle(each);
  }

 private:
  FaultScore& score_of(const Case& of) { return figures_.fault_scores[of.fault.kind.value]; }

  // --- what happens -------------------------------------------------------------------------------------------------

  void happened(const Truth& what) {
    if (what.what == TruthKind::onset) return begins(what);
    // Most are over soon: what ends is among the latest.
    const auto found = std::find_if(cases_.rbegin(), cases_.rend(), [&](const Case& each) {
      return !each.ended && each.fault.kind == what.kind && each.fault.component == what.component;
    });
    if (found == cases_.rend()) {
      if (what.what != TruthKind::ended && what.on_job) begins(what);  // the log begins after its onset
      return;
    }
    if (what.what == TruthKind::ended) return ends(static_cast<std::size_t>(cases_.rend() - found) - 1);
    if (what.what == TruthKind::grew) return;
    if (!what.on_job) return;
    found->stops = true;
    if (found->met) {
      strikes_again(*found, what.at);
    } else {
      meets(*found, what.at);
    }
  }
  void begins(const Truth& fault) {
    if (!fault.disturbs && !fault.stops) {  // no effect, or planned: it needs no answer
      if (fault.on_job) ++figures_.fault_scores[fault.kind.value].met;
      return;
    }
    Case& begun = cases_.emplace_back();
    begun.fault = fault;
    begun.onset = static_cast<std::uint32_t>(next_);
    begun.stops = fault.stops;
    if (fault.on_job) meets(begun, fault.at);
  }
  void meets(Case& it, Time at) {
    it.met = true;
    it.since = at;
    ++score_of(it).met;
    if (it.stops && !attended_) wait_for_answer(it);
  }
  void strikes_again(Case& it, Time at) {
    if (it.answered || it.waiting) return;
    it.since = at;
    wait_for_answer(it);
  }
  void wait_for_answer(Case& it) {
    it.waiting = true;
    ++waiting_;
  }
  void ends(std::size_t i) {
    cases_[i].ended = true;
    if (cases_[i].waiting) return;  // the job still stands still
    settle(cases_[i]);
    remove(i);
  }
  /// No order will answer it any more.
  void settle(Case& it) {
    if (!it.met || it.answered) return;
    const bool harmless = it.stops ? !it.waiting : std::isinf(it.fault.factor);
    if (harmless) return;
    ++score_of(it).missed;
    score_of(it).missed_cost += walked_.harm[it.onset];
  }
  void remove(std::size_t i) {
    if (i + 1 < cases_.size()) cases_[i] = cases_.back();
    cases_.pop_back();
  }

  // --- what is done about it --------------------------------------------------------------------------------------------

  void on(Time at, const Stop&) {
    attended_ = true;
    answer_stops(at);
    for (; stop_ < walked_.stops.size() && walked_.stops[stop_].at <= at; ++stop_) {
      for (Case& each : cases_)
        if (each.onset == walked_.stops[stop_].onset) answer(each, at);
    }
  }
  void on(Time at, const Probe&) { move_on(at); }
  void on(Time at, const Ask&) { move_on(at); }
  void on(Time at, const Acquire&) { move_on(at); }
  void on(Time at, const Start&) {
    answer_stops(at);
    attended_ = false;
  }
  void on(Time at, const Evict& evict) {
    for (Case& each : cases_)
      if (each.met && blames(each.fault, evict.host)) answer(each, at);
  }
  void on(Time at, const Alert& alert) {
    answer_stops(at);
    bool true_alert = false;
    for (Case& each : cases_) {
      if (!names(alert.who, each.fault)) continue;
      true_alert = true;
      if (each.met) answer(each, at);
    }
    if (!true_alert && !was_there(at, alert.who)) ++figures_.false_alerts;
  }
  template <class Other>
  void on(Time, const Other&) {}

  void move_on(Time at) {
    attended_ = true;
    answer_stops(at);
  }
  void answer_stops(Time at) {
    if (waiting_ == 0) return;
    for (Case& each : cases_)
      if (each.waiting) answer(each, at);
    for (std::size_t i = cases_.size(); i-- > 0;)
      if (cases_[i].ended) remove(i);
  }
  void answer(Case& it, Time at) {
    if (it.answered || !it.met) return;
    it.answered = true;
    if (std::exchange(it.waiting, false)) --waiting_;
    ++score_of(it).detected;
    score_of(it).latencies.add(at - it.since);
  }
  /// Whether the log tells of a fault that `who` may mean, within the alert's memory.
  bool was_there(Time at, ComponentId who) const {
    for (std::size_t i = next_; i-- > 0 && truth_[i].at >= at - kAlertMemory;)
      if (names(who, truth_[i])) return true;
    return false;
  }

  const TruthLog& truth_;
  const Walked& walked_;
  Figures& figures_;
  std::vector<Case> cases_;
  std::size_t next_ = 0;       // in the truth
  std::size_t stop_ = 0;       // in what the walk found
  bool attended_ = true;       // the job is down, and somebody is at work on that
  std::uint32_t waiting_ = 0;  // so many cases are
};

}  // namespace

void judge_detection(const TruthLog& truth, const Record& record, const Walked& walked, Figures& figures) {
  Detection detection(truth, walked, figures);
  auto order = record.orders.begin();
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    detection.follow(record.observations[i].at);
    detection.heard(record.observations[i].at, record.observations[i].what);
    for (; order != record.orders.end() && order->observations <= i + 1; ++order) detection.ordered(*order);
  }
  detection.finish(record.observations.back().at);
}

}  // namespace gauntlet
