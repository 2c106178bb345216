// The faults that are active at a time, read from the truth log from front to back. A question about the job takes time in
// proportion to the faults on the job; an event of a host takes time in proportion to the faults of that host.
#pragma once

#include "core/by_host.hpp"
#include "core/record/truth.hpp"
#include "score/flapping.hpp"
#include "score/host_log.hpp"
#include "score/job_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

class TruthCursor {
 public:
  /// An active fault, with the place of its onset in the log.
  struct Active : Truth {
    std::uint32_t onset = 0;
    std::uint64_t ranked = 0;     // the order in which faults were ranked
    std::uint32_t job_hosts = 0;  // how many of its hosts carry the job
  };

  /// The arguments must outlive it. `hosts`: the hosts that carry the job at the times that are followed.
  TruthCursor(const HostLog& log, const JobHosts& hosts, StopLook& look)
      : hosts_(log), log_(log.log()), job_(hosts), look_(look) {}

  /// Reads the log up to and including `until`; of that instant, what had happened when `orders` orders had been given.
  void follow(Time until, std::size_t orders = std::numeric_limits<std::size_t>::max()) {
    for (; next_ < log_.size() && log_[next_].at <= until && log_[next_].orders <= orders; ++next_) {
      look_.look();
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
  /// The time of the first entry that has not been followed; kNever where there is none.
  Time next() const { return next_ < log_.size() ? log_[next_].at : kNever; }
  /// Where in the log the first such fault strikes after what was followed and before `until`.
  template <class Is>
  std::optional<std::uint32_t> first_onset_before(Time until, const Is& is) const {
    for (std::size_t i = next_; i < log_.size() && log_[i].at < until; ++i, look_.look())
      if (log_[i].what == TruthKind::onset && is(log_[i])) return static_cast<std::uint32_t>(i);
    return std::nullopt;
  }
  /// Other hosts carry the job from now on.
  void hosts_changed(const HostChange& change) {
    if (change.joined) host_joined(change.host);
    if (change.left) host_left(change.host);
  }
  /// The job begins: its hosts are known.
  void hosts_known() {
    on_job_.clear();
    corrupting_.clear();
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].onset == kFree) continue;
      slots_[slot].job_hosts = job_.met_by(slots_[slot]);
      if (on_job(slots_[slot])) meets_job(slot);
    }
  }
  /// The first fault between two times, both excluded, that stops the job. Times up to `from` have been followed.
  const Truth* stop_between(Time from, Time until) const {
    for (std::size_t i = next_; i < log_.size() && log_[i].at < until; ++i, look_.look())
      if (log_[i].at > from && stops_the_job(log_[i])) return &log_[i];
    return nullptr;
  }
  /// The fault that stopped the job at exactly this time.
  const Truth* stop_at(Time when) const { return stop_ && stop_->at == when ? &*stop_ : nullptr; }
  /// The fault on the job's hosts that slows it most, or pauses it: a gang waits for its slowest member.
  const Active* disturbance() const { return on_job_.empty() ? nullptr : &slots_[on_job_.back()]; }
  /// The onset of that fault, where it makes steps longer.
  std::optional<std::uint32_t> slowed_since() const {
    const Active* worst = disturbance();
    return worst != nullptr && worst->factor > 1 ? std::optional(worst->onset) : std::nullopt;
  }
  /// The latest fault on the job's hosts that corrupts its numbers.
  const Active* corruption() const { return corrupting_.empty() ? nullptr : &slots_[corrupting_.back()]; }
  /// The fault on the job's hosts that concerns one of these and slows the job most, or corrupts its numbers.
  const Active* harm_of(const std::vector<HostId>& suspects) const {
    const Active* worst = nullptr;
    for (const HostId host : suspects) {
      by_host_.for_each(host, [&](std::uint32_t slot) {
        const Active& each = slots_[slot];
        if (blames(each, host) && on_job(each) && (worst == nullptr || less(*worst, each))) worst = &each;
      });
    }
    return worst;
  }
  /// The latest strike on one of these hosts that flaps.
  std::optional<Active> flaps(const std::vector<HostId>& suspects, Time at) const {
    for (const HostId host : suspects) {
      const auto strike = flapping(hosts_, next_, host, at, job_.taken_out(host, at));
      if (!strike) continue;
      Active found;
      static_cast<Truth&>(found) = log_[*strike];
      found.onset = *strike;
      return found;
    }
    return std::nullopt;
  }
  struct Corruption {
    Time since;
    std::uint32_t onset;  // its place in the log
  };
  /// When a fault first corrupted the job's numbers, since forget_corruption().
  const std::optional<Corruption>& corrupt_since() const { return corrupt_since_; }
  void forget_corruption() { corrupt_since_.reset(); }

 private:
  static bool stops_the_job(const Truth& truth) {
    const bool stops = truth.what == TruthKind::escalated || (truth.what != TruthKind::ended && truth.stops);
    return stops && truth.on_job;
  }

  static constexpr std::uint32_t kFree = 0xffffffff;  // an onset: the slot holds no fault

  static bool on_job(const Active& fault) {
    return fault.component.kind == ComponentKind::job || fault.job_hosts > 0;
  }
  /// Orders faults by their slowdown. Of equal ones, the one that was ranked first is the worst.
  static bool less(const Active& a, const Active& b) {
    return a.factor != b.factor ? a.factor < b.factor : a.ranked > b.ranked;
  }
  auto less_bad() const {
    return [this](std::uint32_t a, std::uint32_t b) { return less(slots_[a], slots_[b]); };
  }
  auto earlier() const {
    return [this](std::uint32_t a, std::uint32_t b) { return slots_[a].onset < slots_[b].onset; };
  }

  template <class Before>
  static void insert(std::vector<std::uint32_t>& slots, std::uint32_t slot, const Before& before) {
    slots.insert(std::upper_bound(slots.begin(), slots.end(), slot, before), slot);
  }
  template <class Before>
  static void remove(std::vector<std::uint32_t>& slots, std::uint32_t slot, const Before& before) {
    slots.erase(std::lower_bound(slots.begin(), slots.end(), slot, before));
  }
  void meets_job(std::uint32_t slot) {
    if (slots_[slot].corrupts) return insert(corrupting_, slot, earlier());
    insert(on_job_, slot, less_bad());
  }
  void leaves_job(std::uint32_t slot) {
    if (slots_[slot].corrupts) return remove(corrupting_, slot, earlier());
    remove(on_job_, slot, less_bad());
  }
  void host_joined(HostId host) {
    by_host_.for_each(host, [this](std::uint32_t slot) {
      const bool was = on_job(slots_[slot]);
      ++slots_[slot].job_hosts;
      if (!was) meets_job(slot);
    });
  }
  void host_left(HostId host) {
    by_host_.for_each(host, [this](std::uint32_t slot) {
      --slots_[slot].job_hosts;
      if (!on_job(slots_[slot])) leaves_job(slot);
    });
  }

  /// The latest with that kind and component; one of the job itself may have moved since it struck.
  std::optional<std::uint32_t> find(const Truth& entry) const {
    std::optional<std::uint32_t> found;
    const auto look_at = [&](std::uint32_t slot) {
      const Active& each = slots_[slot];
      if (each.kind != entry.kind || each.component != entry.component) return;
      if (!found || slots_[*found].onset < each.onset) found = slot;
    };
    if (entry.component.kind == ComponentKind::job)
      std::for_each(of_job_.begin(), of_job_.end(), look_at);
    else
      by_host_.for_each(entry.host, look_at);
    return found;
  }
  /// What stops the job is told of elsewhere.
  void begins(const Truth& fault, std::uint32_t onset) {
    if (fault.corrupts && fault.on_job && !corrupt_since_) corrupt_since_ = {fault.at, onset};
    if (fault.stops) return;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Active& begun = slots_[slot];
    static_cast<Truth&>(begun) = fault;
    begun.onset = onset;
    begun.ranked = ++ranked_;
    begun.job_hosts = job_.met_by(fault);
    by_host_.add(fault.host, fault.hosts, slot);
    if (fault.component.kind == ComponentKind::job) of_job_.push_back(slot);
    if (on_job(begun)) meets_job(slot);
  }
  void grows(const Truth& entry) {
    const auto slot = find(entry);
    if (!slot) return;
    Active& fault = slots_[*slot];
    if (on_job(fault)) leaves_job(*slot);
    fault.factor = entry.factor;
    fault.ranked = ++ranked_;
    if (on_job(fault)) meets_job(*slot);
  }
  void ends(const Truth& entry) {
    const auto slot = find(entry);
    if (!slot) return;
    Active& fault = slots_[*slot];
    if (on_job(fault)) leaves_job(*slot);
    by_host_.remove(fault.host, fault.hosts, *slot);
    if (fault.component.kind == ComponentKind::job) std::erase(of_job_, *slot);
    fault.onset = kFree;
    free_.push_back(*slot);
  }

  const HostLog& hosts_;
  const std::span<const Truth> log_;
  const JobHosts& job_;
  StopLook& look_;
  std::size_t next_ = 0;
  std::vector<Active> slots_;
  std::vector<std::uint32_t> free_;
  ByHost by_host_;                     // slots
  std::vector<std::uint32_t> of_job_;  // slots of faults of the job itself
  // Slots of those on the job: of what slows or pauses it, the worst last; of what corrupts it, the latest last.
  std::vector<std::uint32_t> on_job_, corrupting_;
  std::uint64_t ranked_ = 0;
  std::optional<Truth> stop_;
  std::optional<Corruption> corrupt_since_;
};

}  // namespace gauntlet
