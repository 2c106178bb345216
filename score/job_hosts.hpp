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

/// Whether a fault is a reason to take the host out: one of the job itself is none.
inline bool blames(const Truth& fault, HostId host) {
  return fault.component.kind != ComponentKind::job && concerns(fault, host);
}

/// What an outcome changes for a host.
struct HostChange {
  HostId host;
  bool joined = false;      // it carries the job now, and did not before
  bool left = false;        // it does not carry the job now, and did before
  bool evicted = false;     // it is out of service
  std::uint32_t order = 0;  // the place of the eviction among the orders
  Time ordered{};           // when the eviction was ordered
};

/// Who carries the job, and who was taken out when, after the changes so far.
class JobHosts {
 public:
  bool in_job(HostId host) const { return roster_.in_job(host); }
  /// How many of the hosts that the fault concerns carry the job.
  std::uint32_t met_by(const Truth& fault) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < fault.hosts; ++i) count += in_job(HostId{fault.host.value + i}) ? 1 : 0;
    return count;
  }

  void on(const Started& started) { roster_ = Roster(started.inventory); }
  void on(const HostChange& change) {
    if (change.joined) roster_.join(change.host);
    if (change.left) roster_.leave(change.host);
    if (!change.evicted) return;
    if (last_.size() <= change.host.value) last_.resize(change.host.value + 1, kNone);
    evictions_.push_back({change.ordered, std::exchange(last_[change.host.value], evictions_.size())});
  }
  /// When it was evicted last, by the time of the order; before `until`.
  std::optional<Time> taken_out(HostId host, Time until) const {
    std::size_t last = host.value < last_.size() ? last_[host.value] : kNone;
    while (last != kNone && evictions_[last].at >= until) last = evictions_[last].before;
    return last == kNone ? std::nullopt : std::optional(evictions_[last].at);
  }

 private:
  Roster roster_;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Done {
    Time at;
    std::size_t before = kNone;  // the place of the same host's eviction before
  };
  std::vector<Done> evictions_;
  std::vector<std::size_t> last_;  // by host: the place of its last one
};

/// Reads the changes off the orders and outcomes of a record.
class HostChanges {
 public:
  void on(const Started& started) { roster_ = Roster(started.inventory); }
  /// Every order is to be told. One counts once it is answered `done`.
  void ordered(const RecordedOrder& each) {
    if (const auto* evict = std::get_if<Evict>(&each.order.what)) {
      asked_.push_back(
          {each.order.id, {.host = evict->host, .evicted = true, .order = given_, .ordered = each.at}});
    } else if (const auto* rests = std::get_if<StandBy>(&each.order.what)) {
      asked_.push_back({each.order.id, {.host = rests->host}});
    }
    ++given_;
  }
  /// Nothing where the outcome changes nothing for a host, as most do.
  std::optional<HostChange> on(const Outcome& outcome) {
    if (const auto* granted = std::get_if<Granted>(&outcome.result)) {
      const bool joined = !roster_.in_job(granted->host);
      roster_.join(granted->host);
      return HostChange{.host = granted->host, .joined = joined};
    }
    const auto asked = std::find_if(asked_.begin(), asked_.end(),
                                    [&](const Asked& each) { return each.order == outcome.order; });
    if (asked == asked_.end()) return std::nullopt;
    HostChange change = asked->change;
    asked_.erase(asked);
    if (outcome.status != Status::done) return std::nullopt;
    change.left = roster_.in_job(change.host);
    roster_.leave(change.host);
    return change;
  }

 private:
  struct Asked {
    OrderId order;
    HostChange change;
  };

  Roster roster_;
  std::uint32_t given_ = 0;   // orders
  std::vector<Asked> asked_;  // have no answer yet
};

}  // namespace gauntlet
