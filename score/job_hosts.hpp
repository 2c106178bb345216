// Who carries the job at a time, read off a record from front to back.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "core/roster.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace gauntlet {

/// An eviction that was carried out.
struct Eviction {
  Time at;  // of the order
  HostId host;
  bool from_job = false;  // else it stood by
};

/// Whether a fault is a reason to take the host out: one of the job itself is none.
inline bool blames(const Truth& fault, HostId host) {
  return fault.component.kind != ComponentKind::job && concerns(fault, host);
}

class JobHosts {
 public:
  bool in_job(HostId host) const { return roster_.in_job(host); }
  /// Whether a host that the fault concerns carries the job. A fault of the job itself is on it whoever does.
  bool meets(const Truth& fault) const {
    if (fault.component.kind == ComponentKind::job) return true;
    for (std::uint32_t i = 0; i < fault.hosts; ++i)
      if (in_job(HostId{fault.host.value + i})) return true;
    return false;
  }

  void on(const Started& started) { roster_ = Roster(started.inventory); }
  /// An order counts once it is answered `done`.
  void on(const RecordedOrder& each) {
    if (const auto* evict = std::get_if<Evict>(&each.order.what)) {
      asked_.push_back({each.order.id, {each.at, evict->host}});
    } else if (const auto* rests = std::get_if<StandBy>(&each.order.what)) {
      asked_.push_back({each.order.id, {each.at, rests->host}, true});
    }
  }
  /// The eviction that this outcome completes, if it does.
  std::optional<Eviction> on(const Outcome& outcome) {
    if (const auto* granted = std::get_if<Granted>(&outcome.result)) roster_.join(granted->host);
    const auto asked = std::find_if(asked_.begin(), asked_.end(),
                                    [&](const Asked& each) { return each.order == outcome.order; });
    if (asked == asked_.end()) return std::nullopt;
    Eviction eviction = asked->eviction;
    const bool rests = asked->rests;
    asked_.erase(asked);
    if (outcome.status != Status::done) return std::nullopt;
    if (rests) {
      roster_.leave(eviction.host);
      return std::nullopt;
    }
    eviction.from_job = roster_.in_job(eviction.host);
    if (eviction.from_job) roster_.leave(eviction.host);
    evictions_.push_back(eviction);
    return eviction;
  }
  /// When it was evicted last, by the time of the order; before `until`.
  std::optional<Time> taken_out(HostId host, Time until) const {
    const auto last = std::find_if(evictions_.rbegin(), evictions_.rend(), [&](const Eviction& each) {
      return each.host == host && each.at < until;
    });
    return last != evictions_.rend() ? std::optional(last->at) : std::nullopt;
  }
  template <class Other>
  void on(const Other&) {}

 private:
  struct Asked {
    OrderId order;
    Eviction eviction;
    bool rests = false;  // it only stands by
  };

  Roster roster_;
  std::vector<Asked> asked_;  // have no answer yet
  std::vector<Eviction> evictions_;
};

}  // namespace gauntlet
