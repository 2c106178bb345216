#include "score/detection.hpp"

#include "core/by_host.hpp"
#include "core/saturating.hpp"
#include "score/job_hosts.hpp"
#include "score/record_view.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
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

Time next_start(std::span<const RecordedOrder> orders) {
  const auto start = std::find_if(orders.begin(), orders.end(), [](const RecordedOrder& each) {
    return std::holds_alternative<Start>(each.order.what);
  });
  return start == orders.end() ? kNever : start->at;
}

/// A fault that is there, or that has ended and still waits for an answer.
struct Case {
  const Truth* fault = nullptr;  // null: the slot is free
  std::uint32_t onset = 0;       // its place in the log
  bool met = false;              // the job
  bool stops = false;            // the job: from the beginning, or since it escalated
  bool waiting = false;          // the job stands still for it, or is about to, and no order has answered
  bool answered = false;
  bool ended = false;
  Time since;  // when it began to do harm
};

/// The cases in slots. An order looks at those of the host that it names, at those that wait for an answer, or at those on which
/// one would have an effect, and not at all that are there.
class Detection {
 public:
  Detection(const HostLog& truth, const Walked& walked, Figures& figures, StopLook& look)
      : hosts_(truth),
        truth_(truth.log()),
        walked_(walked),
        figures_(figures),
        look_(look),
        case_of_(truth.log().size(), 0) {}

  /// The truth up to and including `until`; of that instant, what had happened when so many orders had been given.
  void follow(Time until, std::size_t orders) {
    for (; next_ < truth_.size() && truth_[next_].at <= until && truth_[next_].orders <= orders; ++next_) {
      look_.look();
      happened(truth_[next_]);
    }
  }
  void joined(Time at, HostId host) {
    by_host_.for_each(host, [&](std::uint32_t slot) {
      Case& each = cases_[slot];
      if (!each.met && !each.stops) meets(each, at);
    });
  }
  /// `orders`: this one, and those that follow.
  void ordered(std::span<const RecordedOrder> orders) {
    const Time at = orders.front().at;
    const Action& what = orders.front().order.what;
    if (std::holds_alternative<Stop>(what)) {
      stopped(at, next_start(orders));
    } else if (std::holds_alternative<Start>(what)) {
      started(at);
    } else if (const auto* evict = std::get_if<Evict>(&what)) {
      evicted(at, evict->host);
    } else if (const auto* alert = std::get_if<Alert>(&what)) {
      alerted(at, alert->who);
    } else if (std::holds_alternative<Probe>(what) || std::holds_alternative<Ask>(what) ||
               std::holds_alternative<Acquire>(what)) {
      move_on(at);
    }
  }
  void finish(Time end) {
    // Several may hold one job: the first one pays for its standing still.
    const Case* first = nullptr;
    for (const Case& each : cases_) {
      look_.look();
      if (each.fault == nullptr || !each.waiting) continue;
      if (first == nullptr || std::pair(each.since, each.onset) < std::pair(first->since, first->onset))
        first = &each;
    }
    if (first != nullptr) add_cost(*first, end - first->since);
    for (Case& each : cases_)
      if (each.fault != nullptr) settle(each);
  }

 private:
  FaultScore& score_of(const Case& of) { return figures_.fault_scores[of.fault->kind.value]; }
  void add_cost(const Case& of, Duration cost) {
    FaultScore& score = score_of(of);
    score.missed_cost = sum(score.missed_cost, cost);
  }
  std::uint32_t slot_of(const Case& of) const { return static_cast<std::uint32_t>(&of - cases_.data()); }

  // --- what happens -------------------------------------------------------------------------------------------------

  void happened(const Truth& what) {
    if (what.what == TruthKind::onset) return begins(what);
    Case* found = find(what);
    if (found == nullptr) {
      if (what.what != TruthKind::ended && what.on_job) begins(what);  // the log begins after its onset
      return;
    }
    if (what.what == TruthKind::ended) return ends(*found);
    if (what.what == TruthKind::grew) return;
    if (!what.on_job) return;
    found->stops = true;
    if (found->met) {
      strikes_again(*found, what.at);
    } else {
      meets(*found, what.at);
    }
  }
  /// The latest that has not ended with that kind and component; one of the job itself may have moved since it struck.
  Case* find(const Truth& what) {
    Case* found = nullptr;
    const auto look_at = [&](std::uint32_t slot) {
      Case& each = cases_[slot];
      if (each.ended || each.fault->kind != what.kind || each.fault->component != what.component) return;
      if (found == nullptr || found->onset < each.onset) found = &each;
    };
    if (what.component.kind == ComponentKind::job)
      std::for_each(of_job_.begin(), of_job_.end(), look_at);
    else
      by_host_.for_each(what.host, look_at);
    return found;
  }
  void begins(const Truth& fault) {
    if (!fault.disturbs && !fault.stops) {  // no effect, or planned: it needs no answer
      if (fault.on_job) ++figures_.fault_scores[fault.kind.value].met;
      return;
    }
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(cases_.size()));
      cases_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Case& begun = cases_[slot];
    begun = {};
    begun.fault = &fault;
    begun.onset = static_cast<std::uint32_t>(next_);
    begun.stops = fault.stops;
    ++there_;
    case_of_[next_] = slot + 1;
    by_host_.add(fault.host, fault.hosts, slot);
    if (fault.component.kind == ComponentKind::job) of_job_.push_back(slot);
    if (fault.on_job) meets(begun, fault.at);
  }
  void meets(Case& it, Time at) {
    it.met = true;
    it.since = at;
    ++score_of(it).met;
    unanswered_.push_back(it.onset);
    if (it.stops && !attended_) wait_for_answer(it);
  }
  void strikes_again(Case& it, Time at) {
    if (it.answered || it.waiting) return;
    it.since = at;
    wait_for_answer(it);
  }
  void wait_for_answer(Case& it) {
    it.waiting = true;
    waiting_.push_back(slot_of(it));
  }
  void ends(Case& it) {
    it.ended = true;
    if (it.waiting) return;  // the job still stands still
    settle(it);
    remove(it);
  }
  /// No order will answer it any more.
  void settle(Case& it) {
    if (!it.met || it.answered) return;
    const bool harmless = it.stops ? !it.waiting : std::isinf(it.fault->factor);
    if (harmless) return;
    ++score_of(it).missed;
    add_cost(it, walked_.harm[it.onset]);
  }
  void remove(Case& it) {
    const std::uint32_t slot = slot_of(it);
    by_host_.remove(it.fault->host, it.fault->hosts, slot);
    if (it.fault->component.kind == ComponentKind::job) std::erase(of_job_, slot);
    case_of_[it.onset] = 0;
    it.fault = nullptr;
    --there_;
    free_.push_back(slot);
  }

  // --- what is done about it --------------------------------------------------------------------------------------------

  void stopped(Time at, Time next_start) {
    move_on(at);
    // A real job trains on until its processes have ended.
    for (; stop_ < walked_.stops.size() && walked_.stops[stop_].at <= next_start; ++stop_)
      if (const std::uint32_t slot = case_of_[walked_.stops[stop_].onset]; slot > 0)
        answer(cases_[slot - 1], at);
  }
  void started(Time at) {
    answer_stops(at);
    attended_ = false;
  }
  void evicted(Time at, HostId host) {
    by_host_.for_each(host, [&](std::uint32_t slot) {
      Case& each = cases_[slot];
      if (each.met && blames(*each.fault, host)) answer(each, at);
    });
  }
  void alerted(Time at, ComponentId who) {
    answer_stops(at);
    if (!answers(at, who) && !was_there(at, who)) ++figures_.false_alerts;
  }

  /// Answers what an alert about `who` may mean. False where that is nothing.
  bool answers(Time at, ComponentId who) {
    bool meant = false;
    if (who.kind == ComponentKind::host) {
      by_host_.for_each(HostId{who.index}, [&](std::uint32_t slot) {
        meant = true;
        if (cases_[slot].met) answer(cases_[slot], at);
      });
      return meant;
    }
    for (const std::uint32_t onset : unanswered_) {
      const std::uint32_t slot = case_of_[onset];
      if (slot > 0 && names(who, *cases_[slot - 1].fault)) answer(cases_[slot - 1], at);
    }
    std::erase_if(unanswered_, [this](std::uint32_t onset) {
      return case_of_[onset] == 0 || cases_[case_of_[onset] - 1].answered;
    });
    if (who.kind == ComponentKind::job) return there_ > 0;
    return std::any_of(cases_.begin(), cases_.end(),
                       [&](const Case& each) { return each.fault != nullptr && names(who, *each.fault); });
  }

  void move_on(Time at) {
    attended_ = true;
    answer_stops(at);
  }
  void answer_stops(Time at) {
    for (const std::uint32_t slot : waiting_) {
      Case& each = cases_[slot];
      if (each.waiting) answer(each, at);
      if (each.fault != nullptr && each.ended) remove(each);
    }
    waiting_.clear();
  }
  void answer(Case& it, Time at) {
    if (it.answered || !it.met) return;
    it.answered = true;
    it.waiting = false;
    ++score_of(it).detected;
    score_of(it).latencies.add(at - it.since);
  }
  /// Whether the log tells of a fault that `who` may mean, within the alert's memory.
  bool was_there(Time at, ComponentId who) const {
    const auto recent = [&](std::size_t place) { return truth_[place].at >= at - kAlertMemory; };
    if (who.kind == ComponentKind::host) {
      bool found = false;
      hosts_.backwards(HostId{who.index}, next_, [&](std::uint32_t place) {
        found = recent(place);
        return true;
      });
      return found;
    }
    for (std::size_t i = next_; i-- > 0 && recent(i);)
      if (names(who, truth_[i])) return true;
    return false;
  }

  const HostLog& hosts_;
  const std::span<const Truth> truth_;
  const Walked& walked_;
  Figures& figures_;
  StopLook& look_;
  std::vector<Case> cases_;  // in slots
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t>
      case_of_;     // by place in the log: one more than the slot of the case that began there
  ByHost by_host_;  // slots
  std::vector<std::uint32_t> of_job_;   // slots of faults of the job itself
  std::vector<std::uint32_t> waiting_;  // slots; some have been answered since
  std::vector<std::uint32_t>
      unanswered_;         // onsets of what met the job; some have been answered, or ended, since
  std::size_t there_ = 0;  // so many cases
  std::size_t next_ = 0;   // in the truth
  std::size_t stop_ = 0;   // in what the walk found
  bool attended_ = true;   // the job is down, and somebody is at work on that
};

}  // namespace

void judge_detection(const HostLog& truth, const RecordView& record, const Walked& walked, Figures& figures,
                     StopLook& look) {
  Detection detection(truth, walked, figures, look);
  std::size_t given = 0;  // orders
  pass(
      record, look,
      [&](const Heard& heard) {
        const auto* outcome = std::get_if<Outcome>(&heard.seen->what);
        const auto* granted = outcome != nullptr ? std::get_if<Granted>(&outcome->result) : nullptr;
        if (granted == nullptr) return;
        detection.follow(heard.seen->at, given);
        detection.joined(heard.seen->at, granted->host);
      },
      [&](std::span<const RecordedOrder> orders) {
        detection.follow(orders.front().at, given++);
        detection.ordered(orders);
      });
  const Time end = record.observations.back().at;
  detection.follow(end, given);
  detection.finish(end);
}

}  // namespace gauntlet
