// What is wrong at a time, read off the truth log from front to back.
#pragma once

#include "core/record/truth.hpp"
#include "score/flapping.hpp"
#include "score/job_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

namespace gauntlet {

class TruthCursor {
 public:
  /// A fault that is there, with the place of its onset in the log.
  struct Active : Truth {
    std::uint32_t onset = 0;
  };

  explicit TruthCursor(const TruthLog& log) : log_(log) {}

  void follow(Time until) {
    for (; next_ < log_.size() && log_[next_].at <= until; ++next_) {
      const Truth& each = log_[next_];
      if (each.what == TruthKind::ended) {
        ends(each);
      } else if (each.what == TruthKind::onset && each.disturbs) {
        begins(each, static_cast<std::uint32_t>(next_));
      } else if (each.what == TruthKind::grew) {
        grows(each);
      }
      if (stops_the_job(each) && !(stop_ && stop_->at == each.at)) stop_ = each;
    }
  }
  /// The first fault between two times, both excluded, that stops the job. Times up to `from` have been followed.
  const Truth* stop_between(Time from, Time until) const {
    for (std::size_t i = next_; i < log_.size() && log_[i].at < until; ++i)
      if (log_[i].at > from && stops_the_job(log_[i])) return &log_[i];
    return nullptr;
  }
  /// The fault that stopped the job just then.
  const Truth* stop_at(Time when) const { return stop_ && stop_->at == when ? &*stop_ : nullptr; }
  /// The fault on the job's hosts that slows it most, or pauses it: a gang waits for its slowest member.
  const Active* disturbance(const JobHosts& hosts) const {
    for (auto each = active_.rbegin(); each != active_.rend(); ++each)
      if (!each->stops && !each->corrupts && hosts.meets(*each)) return &*each;
    return nullptr;
  }
  /// The latest fault on the job's hosts that corrupts its numbers.
  const Active* corruption(const JobHosts& hosts) const {
    const Active* latest = nullptr;
    if (corrupting_ == 0) return latest;
    for (const Active& each : active_) {
      const bool later = latest == nullptr || each.onset > latest->onset;
      if (each.corrupts && later && hosts.meets(each)) latest = &each;
    }
    return latest;
  }
  /// The fault on the job's hosts that concerns one of these and slows the job most, or corrupts its numbers.
  const Active* harm_of(const std::vector<HostId>& suspects, const JobHosts& hosts) const {
    for (auto each = active_.rbegin(); each != active_.rend(); ++each) {
      const bool suspected =
          std::any_of(suspects.begin(), suspects.end(), [&](HostId host) { return blames(*each, host); });
      if (!each->stops && suspected && hosts.meets(*each)) return &*each;
    }
    return nullptr;
  }
  /// The latest strike on a host of these that flaps.
  std::optional<Active> flaps(const std::vector<HostId>& suspects, const JobHosts& hosts, Time at) const {
    for (const HostId host : suspects) {
      const auto strike = flapping(log_, next_, host, at, hosts.taken_out(host, at));
      if (strike) return Active{log_[*strike], *strike};
    }
    return std::nullopt;
  }
  struct Corruption {
    Time since;
    std::uint32_t onset;  // its place in the log
  };
  /// When a fault first corrupted the job's numbers, since that was forgotten last.
  const std::optional<Corruption>& corrupt_since() const { return corrupt_since_; }
  void forget_corruption() { corrupt_since_.reset(); }

 private:
  static bool stops_the_job(const Truth& truth) {
    const bool stops = truth.what == TruthKind::escalated || (truth.what != TruthKind::ended && truth.stops);
    return stops && truth.on_job;
  }

  static bool is_of(const Active& fault, const Truth& entry) {
    return fault.kind == entry.kind && fault.component == entry.component;
  }

  void rank(const Truth& fault, double factor, std::uint32_t onset) {
    const auto place = std::lower_bound(active_.begin(), active_.end(), factor,
                                        [](const Active& each, double bad) { return each.factor < bad; });
    Active& ranked = *active_.emplace(place);
    static_cast<Truth&>(ranked) = fault;
    ranked.factor = factor;
    ranked.onset = onset;
  }
  std::vector<Active>::iterator find(const Truth& entry) {
    const auto found = std::find_if(active_.rbegin(), active_.rend(),
                                    [&](const Active& each) { return is_of(each, entry); });
    return found == active_.rend() ? active_.end() : std::prev(found.base());
  }
  void grows(const Truth& entry) {
    const auto found = find(entry);
    if (found == active_.end()) return;
    const Active fault = *found;
    active_.erase(found);
    rank(fault, entry.factor, fault.onset);
  }
  void begins(const Truth& fault, std::uint32_t onset) {
    rank(fault, fault.factor, onset);
    if (!fault.corrupts) return;
    ++corrupting_;
    if (fault.on_job && !corrupt_since_) corrupt_since_ = {fault.at, onset};
  }
  void ends(const Truth& entry) {
    const auto found = find(entry);
    if (found == active_.end()) return;
    if (found->corrupts) --corrupting_;
    active_.erase(found);
  }

  const TruthLog& log_;
  std::size_t next_ = 0;
  std::vector<Active> active_;  // the worst last; of those as bad the earliest
  std::size_t corrupting_ = 0;  // so many of them corrupt
  std::optional<Truth> stop_;
  std::optional<Corruption> corrupt_since_;
};

}  // namespace gauntlet
