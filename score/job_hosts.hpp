// Who carries the job at a time, read off a record from front to back.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "core/roster.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {

/// An eviction that was carried out.
struct Eviction {
  Time at;  // of the order
  HostId host;
  bool from_job = false;  // else it stood by
  std::size_t order = 0;  // its place among the orders
};

/// Whether a fault is a reason to take the host out: one of the job itself is none.
inline bool blames(const Truth& fault, HostId host) {
  return fault.component.kind != ComponentKind::job && concerns(fault, host);
}

class JobHosts {
 public:
  /// Who carries the job now and did not before, or the other way round; and the eviction that was completed.
  struct Change {
    std::optional<HostId> joined, left;
    std::optional<Eviction> eviction;
  };

  bool in_job(HostId host) const { return roster_.in_job(host); }
  /// How many of the hosts that the fault concerns carry the job.
  std::uint32_t met_by(const Truth& fault) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < fault.hosts; ++i) count += in_job(HostId{fault.host.value + i}) ? 1 : 0;
    return count;
  }

  void on(const Started& started) { roster_ = Roster(started.inventory); }
  /// Every order is to be told. One counts once it is answered `done`.
  void ordered(const RecordedOrder& each) {
    if (const auto* evict = std::get_if<Evict>(&each.order.what)) {
      asked_.push_back({each.order.id, {.at = each.at, .host = evict->host, .order = given_}});
    } else if (const auto* rests = std::get_if<StandBy>(&each.order.what)) {
      asked_.push_back({each.order.id, {.at = each.at, .host = rests->host, .order = given_}, true});
    }
    ++given_;
  }
  /// Whether an outcome may change anything: most do not.
  bool concerns(const Outcome& outcome) const {
    return !asked_.empty() || std::holds_alternative<Granted>(outcome.result);
  }
  Change on(const Outcome& outcome) {
    Change change;
    if (const auto* granted = std::get_if<Granted>(&outcome.result)) {
      if (!in_job(granted->host)) change.joined = granted->host;
      roster_.join(granted->host);
    }
    const auto asked = std::find_if(asked_.begin(), asked_.end(),
                                    [&](const Asked& each) { return each.order == outcome.order; });
    if (asked == asked_.end()) return change;
    Eviction eviction = asked->eviction;
    const bool rests = asked->rests;
    asked_.erase(asked);
    if (outcome.status != Status::done) return change;
    eviction.from_job = in_job(eviction.host);
    if (eviction.from_job) change.left = eviction.host;
    if (eviction.from_job) roster_.leave(eviction.host);
    if (rests) return change;
    if (last_.size() <= eviction.host.value) last_.resize(eviction.host.value + 1, kNone);
    evictions_.push_back({eviction.at, std::exchange(last_[eviction.host.value], evictions_.size())});
    change.eviction = eviction;
    return change;
  }
  /// When it was evicted last, by the time of the order; before `until`.
  std::optional<Time> taken_out(HostId host, Time until) const {
    std::size_t last = host.value < last_.size() ? last_[host.value] : kNone;
    while (last != kNone && evictions_[last].at >= until) last = evictions_[last].before;
    return last == kNone ? std::nullopt : std::optional(evictions_[last].at);
  }

 private:
  struct Asked {
    OrderId order;
    Eviction eviction;
    bool rests = false;  // it only stands by
  };

  Roster roster_;
  std::size_t given_ = 0;     // orders
  std::vector<Asked> asked_;  // have no answer yet
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Done {
    Time at;
    std::size_t before = kNone;  // the place of the same host's eviction before
  };
  std::vector<Done> evictions_;
  std::vector<std::size_t> last_;  // by host: the place of its last one
};

}  // namespace gauntlet
