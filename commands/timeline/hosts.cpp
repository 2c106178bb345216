#include "commands/timeline/hosts.hpp"

#include "commands/timeline/groups.hpp"
#include "core/component.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gauntlet {
namespace {

enum class State : std::uint8_t { in_job, stands_by, in_repair, repaired, retired };
constexpr std::array<const char*, 5> kStateNames = {"in the job", "stands by", "in repair",
                                                    "repaired, waits to be readmitted", "retired"};

/// The host that an order is about, and where it is once that is done.
struct Moves {
  HostId host;
  State to;
};
std::optional<Moves> moves_of(const Action& what) {
  if (const auto* evict = std::get_if<Evict>(&what)) return Moves{evict->host, State::in_repair};
  if (const auto* readmit = std::get_if<Readmit>(&what)) return Moves{readmit->host, State::stands_by};
  if (const auto* rests = std::get_if<StandBy>(&what)) return Moves{rests->host, State::stands_by};
  if (const auto* retire = std::get_if<Retire>(&what)) return Moves{retire->host, State::retired};
  return std::nullopt;
}

class HostWalk {
 public:
  HostWalk(const TimelineRun& run, const Chain& chain, TracePlan& plan)
      : run_(run), chain_(chain), plan_(plan) {}

  HostCounts walk() {
    find_involved();
    const std::vector<RecordedOrder>& orders = run_.record.orders;
    std::size_t order = 0;
    for (std::size_t i = 0; i < run_.record.observations.size(); ++i) {
      const Observed& seen = run_.record.observations[i];
      by_ = chain_.observations[i];
      std::visit([&](const auto& what) { on(seen.at, what); }, seen.what);
      for (; order < orders.size() && orders[order].observations <= i + 1; ++order)
        if (const auto moves = moves_of(orders[order].order.what))
          asked_[orders[order].order.id.value] = *moves;
    }
    for (const auto& [host, at] : now_) plan_.set_end(at.slice, run_.end());
    for (const auto& [host, slice] : repairs_) plan_.set_end(slice, run_.end());
    return std::move(counts_);
  }

 private:
  void find_involved() {
    for (const RecordedOrder& each : run_.record.orders)
      if (const auto moves = moves_of(each.order.what)) involved_.insert(moves->host);
    for (const Observed& each : run_.record.observations) {
      if (const auto* returned = std::get_if<HostReturned>(&each.what)) involved_.insert(returned->host);
      const auto* outcome = std::get_if<Outcome>(&each.what);
      const auto* granted = outcome == nullptr ? nullptr : std::get_if<Granted>(&outcome->result);
      if (granted != nullptr) involved_.insert(granted->host);
    }
    if (!run_.logs) return;
    for (const Truth& each : run_.logs->truth)
      if (each.hosts == 1 && each.component.kind != ComponentKind::job) involved_.insert(each.host);
  }

  void on(Time at, const Started& started) {
    by_.reset();
    const Inventory& inventory = started.inventory;
    for (const HostId host : involved_)
      if (host.value < inventory.hosts())
        move(at, host, inventory.starts_in_job(host) ? State::in_job : State::stands_by);
    standing_by_ = inventory.spares;
    count(at);
  }
  void on(Time at, const HostReturned& returned) {
    move(at, returned.host, State::repaired);
    if (const auto found = repairs_.find(returned.host); found != repairs_.end()) {
      plan_.set_end(found->second, at);
      repairs_.erase(found);
    }
    count(at);
  }
  void on(Time at, const Outcome& outcome) {
    if (const auto* granted = std::get_if<Granted>(&outcome.result)) {
      move(at, granted->host, State::in_job);
      count(at);
    }
    const auto found = asked_.find(outcome.order.value);
    if (found == asked_.end()) return;
    const Moves moves = found->second;
    asked_.erase(found);
    if (outcome.status != Status::done) return;
    move(at, moves.host, moves.to);
    if (moves.to == State::in_repair) repair(at, moves.host);
    count(at);
  }
  template <class Other>
  void on(Time, const Other&) {}

  struct Now {
    State state;
    Time since;
    SliceNumber slice;
  };

  /// What lasts no time is not drawn: a host that returns is readmitted at once.
  void move(Time at, HostId host, State to) {
    const auto before = now_.find(host);
    if (before != now_.end() && before->second.state == to) return;
    if (before != now_.end() && before->second.state == State::stands_by) --standing_by_;
    if (to == State::stands_by && by_) ++standing_by_;
    const std::string state = kStateNames[static_cast<std::size_t>(to)];
    const bool anew = before == now_.end() || before->second.since < at;
    if (anew && before != now_.end()) plan_.set_end(before->second.slice, at);
    const SliceNumber slice = anew ? begin(at, host, state) : before->second.slice;
    plan_.label(slice).name = state;
    if (by_) plan_.link(*by_, slice, "host");
    now_.insert_or_assign(host, Now{to, at, slice});
  }
  SliceNumber begin(Time at, HostId host, const std::string& state) {
    return plan_.add(plan_.group(track_rank::of_host(host.value), name_of(component(host))), at, at,
                     {.name = state, .category = "host", .arguments = {{"host", std::int64_t{host.value}}}});
  }
  void repair(Time at, HostId host) {
    repairs_.insert_or_assign(host, plan_.add(plan_.group(track_rank::kRepairs, "repairs"), at, at,
                                              {.name = name_of(component(host)),
                                               .category = "repair",
                                               .arguments = {{"host", std::int64_t{host.value}}}}));
  }
  void count(Time at) {
    put(counts_.standing_by, at, static_cast<double>(standing_by_));
    put(counts_.in_repair, at, static_cast<double>(repairs_.size()));
  }
  static void put(std::vector<CountAt>& into, Time at, double value) {
    if (into.empty() || into.back().value != value) into.push_back({.at = at, .value = value});
  }

  const TimelineRun& run_;
  const Chain& chain_;
  TracePlan& plan_;
  std::set<HostId> involved_;
  std::map<HostId, Now> now_;
  std::map<HostId, SliceNumber> repairs_;  // that last
  std::map<std::uint64_t, Moves> asked_;   // by order
  std::optional<SliceNumber> by_;          // the observation that moves hosts; none at the start
  HostCounts counts_;
  std::int64_t standing_by_ = 0;
};

}  // namespace

HostCounts add_hosts(const TimelineRun& run, const Chain& chain, TracePlan& plan) {
  return HostWalk(run, chain, plan).walk();
}

}  // namespace gauntlet
