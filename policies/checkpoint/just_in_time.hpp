// A checkpoint just in time: a log line (LineAction::save) warns of worse to come, and what has been done so far is saved
// before that. One at a time, and none within `shortest` of the last: a line that is logged again and again says nothing new.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <optional>

namespace gauntlet {

class JustInTime {
 public:
  /// A warning, while the job trains.
  void warned(JobId job, const CheckpointConstants& constants, Time now, Orders& out) {
    if (under_way_ || now < next_) return;
    under_way_ = out.add(Checkpoint{job});
    next_ = after(now, constants.shortest);
  }
  /// True when the outcome is that of its checkpoint.
  bool on(const Outcome& outcome) {
    if (under_way_ != outcome.order) return false;
    under_way_.reset();
    return true;
  }

 private:
  std::optional<OrderId> under_way_;
  Time next_ = kStart;
};

}  // namespace gauntlet
