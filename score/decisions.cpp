#include "score/decisions.hpp"

#include "core/by_host.hpp"
#include "core/saturating.hpp"
#include "score/flapping.hpp"
#include "score/job_hosts.hpp"
#include "score/record_view.hpp"
#include "score/spares.hpp"
#include "score/wrong_evictions.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Finds the incident that was open at a time. Incidents do not overlap and come in order, and so do most times asked for:
/// it goes from the last one on.
class OpenIncident {
 public:
  explicit OpenIncident(std::span<Incident> incidents) : incidents_(incidents) {}

  Incident* at(Time when) {
    while (later_ < incidents_.size() && incidents_[later_].opened <= when) ++later_;
    while (later_ > 0 && incidents_[later_ - 1].opened > when) --later_;
    if (later_ == 0 || when > incidents_[later_ - 1].closed) return nullptr;
    return &incidents_[later_ - 1];
  }

 private:
  std::span<Incident> incidents_;
  std::size_t later_ = 0;  // the first that was opened after the time asked for last
};

/// Follows the hosts through evictions and grants.
class Judge {
 public:
  using What = EvictionEvent::What;

  Judge(const HostLog& truth, Figures& figures, StopLook& look)
      : hosts_of_truth_(truth),
        truth_(truth.log()),
        figures_(figures),
        look_(look),
        open_(figures.incidents) {}

  void on(Time, const Started& started) {
    hosts_.on(started);
    spares_.begin(started.inventory.spares);
    all_replicas_ = replicas_ = figures_.fewest_replicas = started.inventory.layout.dp;
  }
  void on(Time at, const Outcome& outcome) {
    if (std::holds_alternative<Granted>(outcome.result)) {
      take_spare();
      happened(at, What::granted);
    }
  }
  void on(Time, const StopRequest& told) {
    ++(told.preempted ? figures_.preemptions : figures_.planned_stops);
    ++figures_.interruptions;
    ++requests_;
  }
  /// An operator who takes a host out of the job, or ends the run, requests a planned stop.
  void on(Time, const OperatorActed& acted) {
    const bool takes_out = acted.what == OperatorAction::evict || acted.what == OperatorAction::maintenance;
    if (takes_out) by_operator_.insert(acted.host);
    if (acted.what != OperatorAction::stop && !(takes_out && hosts_.in_job(acted.host))) return;
    ++figures_.planned_stops;
    ++figures_.interruptions;
    ++requests_;
  }
  void on(Time at, const Noticed&) {
    if (Incident* open = open_.at(at)) open->noticed = true;
  }
  template <class Other>
  void on(Time, const Other&) {}

  void on(const Heard& heard) {
    hosts_.on(heard.change);
    if (heard.change.evicted) evicted(heard.change);
    std::visit([&](const auto& what) { on(heard.seen->at, what); }, heard.seen->what);
  }
  void on(const RecordedOrder& each) {
    const Action& what = each.order.what;
    if (const auto* start = std::get_if<Start>(&what)) {
      happened(each.at, What::started);
      started_with(start->replicas == 0 ? all_replicas_ : start->replicas);
      charge_requests(each.at);
    } else if (const auto* readmit = std::get_if<Readmit>(&what)) {
      if (!by_operator_.empty()) by_operator_.erase(readmit->host);
      spares_.give_back();
    } else if (std::holds_alternative<StandBy>(what)) {
      spares_.give_back();
    } else if (std::holds_alternative<Ask>(what)) {
      ++figures_.asked;
    } else if (std::holds_alternative<Acquire>(what)) {
      happened(each.at, What::asked_for);
    }
  }

  /// A planned stop belongs to the incident in which the job goes down for it, or is down already: the one that is open
  /// at the next start, or at the end of the run.
  void charge_requests(Time when) {
    const std::uint32_t requests = std::exchange(requests_, 0);
    if (requests == 0) return;
    if (Incident* open = open_.at(when)) open->stops += requests;
  }
  void struck_again(Time at) { happened(at, What::struck); }
  std::vector<EvictionEvent> events() { return std::move(events_); }

 private:
  void started_with(std::uint32_t replicas) {
    if (replicas < replicas_) ++figures_.shrunk;
    replicas_ = replicas;
    figures_.fewest_replicas = std::min(figures_.fewest_replicas, replicas);
  }
  /// Kept if it is part of an incident.
  void happened(Time at, What what) {
    const Incident* open = open_.at(at);
    if (open == nullptr) return;
    events_.push_back({static_cast<std::size_t>(open - figures_.incidents.data()), at, what});
  }

  /// What an operator evicts is neither a right nor a wrong decision of the policies.
  void evicted(const HostChange& eviction) {
    if (!by_operator_.empty() && by_operator_.erase(eviction.host) > 0) {
      if (!eviction.left) take_spare();
      return;
    }
    follow(eviction.order);
    const bool right = faulty_.any(eviction.host, [](std::uint32_t) { return true; }) ||
                       flapping(hosts_of_truth_, next_, eviction.host, eviction.ordered,
                                hosts_.taken_out(eviction.host, eviction.ordered));
    ++(right ? figures_.evictions_right : figures_.evictions_wrong);
    if (!eviction.left) return take_spare();
    if (Incident* open = open_.at(eviction.ordered)) {
      ++(right ? open->evictions_right : open->evictions_wrong);
      happened(eviction.ordered, right ? What::right : What::wrong);
    }
  }
  void take_spare() {
    spares_.take();
    figures_.spares_max_in_use = std::max(figures_.spares_max_in_use, spares_.in_use());
  }

  /// The faults that only repair removes, until that order was given.
  void follow(std::size_t order) {
    for (; next_ < truth_.size() && truth_[next_].orders <= order; ++next_) {
      look_.look();
      const Truth& each = truth_[next_];
      if (!each.repairable || each.component.kind == ComponentKind::job)
        continue;  // no host is to blame for that
      if (each.what == TruthKind::onset)
        faulty_.add(each.host, each.hosts, static_cast<std::uint32_t>(next_));
      if (each.what == TruthKind::ended) mended(each);
    }
  }
  void mended(const Truth& entry) {
    over_.clear();
    faulty_.for_each(entry.host, [&](std::uint32_t onset) {
      if (truth_[onset].kind == entry.kind && truth_[onset].component == entry.component)
        over_.push_back(onset);
    });
    for (const std::uint32_t onset : over_) faulty_.remove(truth_[onset].host, truth_[onset].hosts, onset);
  }

  const HostLog& hosts_of_truth_;
  const std::span<const Truth> truth_;
  Figures& figures_;
  StopLook& look_;
  OpenIncident open_;
  JobHosts hosts_;
  ByHost faulty_;                    // the places of onsets in the log
  std::vector<std::uint32_t> over_;  // those that a repair ended; a member to reuse memory
  std::vector<EvictionEvent> events_;
  std::size_t next_ = 0;
  SpareCount spares_;
  std::uint32_t all_replicas_ = 0, replicas_ = 0;  // of the job, and of the last start
  std::set<HostId> by_operator_;                   // hosts that an operator takes out
  std::uint32_t requests_ = 0;                     // planned stops that have not found their incident yet
};

/// Whether people had nothing to do with it, and it is over. One that the end of the run cut counts as over, unless the run
/// ended because it was not.
bool handled(const Incident& incident, const Figures& figures) {
  const bool cut = incident.closed == kStart + figures.wall;
  return incident.unplanned && incident.detected && incident.asked == 0 && !incident.noticed &&
         !(cut && figures.ending == Ending::gave_up);
}

/// The sums over the incidents by the kind that opened them.
void sum_up(Figures& figures) {
  for (Incident& incident : figures.incidents) {
    incident.handled = handled(incident, figures);
    const Duration until_found =
        incident.handled ? at(incident.lost, Phase::undetected) + at(incident.lost, Phase::diagnosing)
                         : Duration{};
    if (!is_fault(incident.cause)) continue;
    FaultScore& kind = figures.fault_scores[fault_of(incident.cause).value];
    if (incident.unplanned) ++kind.incidents;
    if (incident.handled) ++kind.handled;
    kind.handled_time = sum(kind.handled_time, until_found);
    kind.evictions_wrong += incident.evictions_wrong;
    kind.wrong_evictions += incident.wrong_evictions;
  }
}

}  // namespace

std::vector<std::uint32_t> judge_decisions(const HostLog& hosts_of_truth, const RecordView& record,
                                           Figures& figures, StopLook& look) {
  const TruthLog& truth = hosts_of_truth.log();
  OpenIncident incident(figures.incidents);
  std::vector<std::uint32_t> interrupted(figures.faults.size(), 0);
  std::vector<Time> returned;
  for (const Truth& each : truth) {
    look.look();
    if (!each.on_job) continue;
    if (each.what == TruthKind::returned) returned.push_back(each.at);
    if (each.what == TruthKind::onset) ++figures.faults[each.kind.value];
    if (!interrupts(each)) continue;
    ++interrupted[each.kind.value];
    ++figures.interruptions;
    if (Incident* open = incident.at(each.at)) ++open->stops;
  }
  Judge judge(hosts_of_truth, figures, look);
  pass(
      record, look, [&](const Heard& heard) { judge.on(heard); },
      [&](std::span<const RecordedOrder> orders) { judge.on(orders.front()); });
  judge.charge_requests(record.observations.back().at);
  for (const Time at : returned) judge.struck_again(at);
  charge_wrong_evictions(judge.events(), figures);
  sum_up(figures);
  return interrupted;
}

}  // namespace gauntlet
