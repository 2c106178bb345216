#include "score/decisions.hpp"

#include <algorithm>
#include <vector>

#include "core/roster.hpp"

namespace gauntlet {
namespace {

/// The incident that was open then, if any. Incidents do not overlap and come in order.
Incident* incident_at(Figures& figures, Time when) {
  const auto later = std::upper_bound(figures.incidents.begin(), figures.incidents.end(), when,
                                      [](Time t, const Incident& each) { return t < each.opened; });
  if (later == figures.incidents.begin()) return nullptr;
  Incident& candidate = *(later - 1);
  return when <= candidate.closed ? &candidate : nullptr;
}

void count_interruption(Figures& figures, Time when) {
  ++figures.interruptions;
  if (Incident* open = incident_at(figures, when)) ++open->stops;
}

/// Follows the hosts through evictions and grants.
class Judge {
 public:
  Judge(const TruthLog& truth, Figures& figures) : truth_(truth), figures_(figures) {}

  void on(Time, const Started& started) {
    roster_ = Roster(started.inventory);
    spares_ = idle_ = started.inventory.spares;
  }
  void on(Time, const Outcome& outcome) {
    if (const auto* granted = std::get_if<Granted>(&outcome.result)) {
      roster_.join(granted->host);
      --idle_;
      figures_.spares_max_in_use = std::max(figures_.spares_max_in_use, spares_ - std::max(0, idle_));
    }
  }
  void on(Time when, const Told&) {
    ++figures_.planned_stops;
    count_interruption(figures_, when);
  }
  template <class Other>
  void on(Time, const Other&) {}

  void on(const RecordedOrder& order) {
    if (const auto* evict = std::get_if<Evict>(&order.order.what)) evicted(order.at, evict->host);
    if (std::holds_alternative<Readmit>(order.order.what)) ++idle_;
    if (std::holds_alternative<Ask>(order.order.what)) ++figures_.asked;
  }

 private:
  void evicted(Time when, HostId host) {
    follow(when);
    const bool right = std::any_of(faulty_.begin(), faulty_.end(), [&](const Truth& each) { return each.host == host; });
    ++(right ? figures_.evictions_right : figures_.evictions_wrong);
    if (roster_.in_job(host)) {
      roster_.leave(host);
      if (Incident* open = incident_at(figures_, when)) ++(right ? open->evictions_right : open->evictions_wrong);
    } else {
      --idle_;
    }
  }

  /// The faults that only repair removes, up to and including `until`.
  void follow(Time until) {
    for (; next_ < truth_.size() && truth_[next_].at <= until; ++next_) {
      const Truth& each = truth_[next_];
      if (each.what == TruthKind::onset && each.repairable) faulty_.push_back(each);
      if (each.what == TruthKind::ended) {
        std::erase_if(faulty_, [&](const Truth& other) {
          return other.kind == each.kind && other.component == each.component;
        });
      }
    }
  }

  const TruthLog& truth_;
  Figures& figures_;
  Roster roster_;
  std::vector<Truth> faulty_;
  std::size_t next_ = 0;
  std::uint32_t spares_ = 0;
  std::int32_t idle_ = 0;
};

}  // namespace

void judge_decisions(const TruthLog& truth, const Record& record, Figures& figures) {
  for (const Truth& each : truth) {
    if (!each.on_job) continue;
    if (each.what == TruthKind::onset) ++figures.faults[each.kind.value];
    const bool interrupts = (each.what == TruthKind::onset && each.stops) || each.what == TruthKind::escalated;
    if (interrupts) count_interruption(figures, each.at);
  }
  Judge judge(truth, figures);
  auto order = record.orders.begin();
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const Observed& seen = record.observations[i];
    std::visit([&](const auto& what) { judge.on(seen.at, what); }, seen.what);
    for (; order != record.orders.end() && order->observations <= i + 1; ++order) judge.on(*order);
  }
}

}  // namespace gauntlet
