// What is wrong at a time, read off the truth log from front to back.
#pragma once

#include "core/record/truth.hpp"
#include "score/job_hosts.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace gauntlet {

class TruthCursor {
 public:
  explicit TruthCursor(const TruthLog& log) : log_(log) {}

  void follow(Time until) {
    for (; next_ < log_.size() && log_[next_].at <= until; ++next_) {
      const Truth& each = log_[next_];
      if (each.what == TruthKind::ended) {
        std::erase_if(active_, [&](const Truth& active) {
          return active.kind == each.kind && active.component == each.component;
        });
      } else if (each.what == TruthKind::onset && each.disturbs) {
        active_.push_back(each);
        if (each.corrupts && each.on_job && !corrupt_since_) corrupt_since_ = each.at;
      }
      const bool stops = each.what == TruthKind::escalated || (each.what != TruthKind::ended && each.stops);
      if (stops && each.on_job && !(stop_ && stop_->at == each.at)) stop_ = each;
    }
  }
  /// The fault that stopped the job just then.
  const Truth* stop_at(Time when) const { return stop_ && stop_->at == when ? &*stop_ : nullptr; }
  /// The fault on the job's hosts that slows it most, or pauses it: a gang waits for its slowest member.
  const Truth* disturbance(const JobHosts& hosts) const {
    const Truth* worst = nullptr;
    for (const Truth& each : active_) {
      if (each.stops || each.corrupts || !hosts.in_job(each.host)) continue;
      if (worst == nullptr || each.factor > worst->factor) worst = &each;
    }
    return worst;
  }
  /// The latest fault on the job's hosts that corrupts its numbers.
  const Truth* corruption(const JobHosts& hosts) const {
    const auto found = std::find_if(active_.rbegin(), active_.rend(), [&](const Truth& each) {
      return each.corrupts && hosts.in_job(each.host);
    });
    return found == active_.rend() ? nullptr : &*found;
  }
  bool corrupting(const JobHosts& hosts) const { return corruption(hosts) != nullptr; }
  /// When a fault first corrupted the job's numbers, since that was forgotten last.
  std::optional<Time> corrupt_since() const { return corrupt_since_; }
  void forget_corruption() { corrupt_since_.reset(); }

 private:
  const TruthLog& log_;
  std::size_t next_ = 0;
  std::vector<Truth> active_;
  std::optional<Truth> stop_;
  std::optional<Time> corrupt_since_;
};

}  // namespace gauntlet
