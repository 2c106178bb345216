// The waits of a job that is down, derived from the orders of its recovery and from their outcomes.
//
// Hosts are examined and replaced in parallel with everything else, so several waits may be open at once. The lost time is
// charged to one of them: to the wait that the job is in, until that wait is over, and then to a wait that is still open.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "core/time.hpp"
#include "score/figures.hpp"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

namespace gauntlet {

class Waits {
 public:
  void on(const Observed& seen) {
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      if (!examinations_.empty()) std::erase(examinations_, outcome->order);
      if (!hosts_.empty()) std::erase(hosts_, outcome->order);
    } else if (const auto* told = std::get_if<StopRequest>(&seen.what)) {
      held_until_ = std::max(held_until_, after(seen.at, told->hold));
    }
  }

  /// The phase that an order begins in a job that is in phase `present`; nothing if `present` continues. An eviction, a
  /// readmission or an interval may concern something else: it neither answers a fault nor moves the recovery.
  std::optional<Phase> on(const Order& order, Time now, Phase present) {
    const Action& what = order.what;
    if (const auto* stop = std::get_if<Stop>(&what))
      return stop->reason == StopReason::fault ? Phase::diagnosing : Phase::planned;
    if (std::holds_alternative<Start>(what)) {
      examinations_.clear();
      hosts_.clear();
      return Phase::restarting;
    }
    if (std::holds_alternative<Alert>(what) && present == Phase::undetected) return Phase::diagnosing;
    const bool goes_on = still(present, now);
    if (std::holds_alternative<Probe>(what) || std::holds_alternative<Ask>(what)) {
      examinations_.push_back(order.id);
      return goes_on ? std::nullopt : std::optional(Phase::diagnosing);
    }
    if (std::holds_alternative<Acquire>(what)) {
      hosts_.push_back(order.id);
      return goes_on ? std::nullopt : std::optional(Phase::waiting_for_spare);
    }
    return std::nullopt;
  }

  /// The phase that follows where that of the job is over and another wait is open.
  std::optional<Phase> next(Phase present, Time now) const {
    if (examinations_.empty() && hosts_.empty()) return std::nullopt;
    const bool waits =
        present == Phase::diagnosing || present == Phase::waiting_for_spare || present == Phase::planned;
    if (!waits || still(present, now)) return std::nullopt;
    return examinations_.empty() ? Phase::waiting_for_spare : Phase::diagnosing;
  }

 private:
  bool still(Phase present, Time now) const {
    if (present == Phase::planned) return now < held_until_;
    if (present == Phase::diagnosing) return !examinations_.empty();
    return present == Phase::waiting_for_spare && !hosts_.empty();
  }

  std::vector<OrderId> examinations_, hosts_;  // orders that have no outcome yet
  Time held_until_ = kStart;
};

}  // namespace gauntlet
