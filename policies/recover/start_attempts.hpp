// Starts of the job that fail: how often and how soon each is tried again, and until when.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gauntlet {

class StartAttempts {
 public:
  /// `constants` must outlive them.
  explicit StartAttempts(const RecoveryConstants& constants) : constants_(&constants) {}

  /// The job is submitted, or handed in again: it trains within `start_deadline`.
  void submit(Time now, Orders& out) {
    end_deadline(out);
    deadline_passed_ = false;
    if (constants_->start_deadline != kForever)
      deadline_ = out.add(Wake{after(now, constants_->start_deadline)});
  }
  bool waits_for(OrderId order) const { return deadline_ == order; }
  /// That order has its outcome: whether the job did not train in time.
  bool pass_deadline(const Outcome& outcome) {
    deadline_.reset();
    deadline_passed_ = deadline_passed_ || outcome.status == Status::done;
    return outcome.status == Status::done;
  }
  bool deadline_passed() const { return deadline_passed_; }

  /// A start has failed. It is tried again, where the constants say so.
  void failed(Time now) {
    if (constants_->start_attempts == 0 && constants_->start_backoff <= Duration::zero()) return;
    ++failed_;
    retry_ = true;
    const Duration longest = constants_->longest_backoff;
    Duration wait = std::min(constants_->start_backoff, longest);
    for (std::uint32_t i = 1; i < failed_ && wait > Duration::zero() && wait < longest; ++i)
      wait += std::min(wait, longest - wait);
    not_before_ = after(now, wait);
  }
  /// Something has changed that may have kept the job from starting: failures count anew.
  void begin_anew(Time now) {
    retry_ = false;
    failed_ = 0;
    not_before_ = now;
  }
  /// The present stop is that of a start that failed, and it is tried again.
  bool retries() const { return retry_; }
  /// ... for the last time.
  bool used_up() const {
    return retry_ && constants_->start_attempts > 0 && failed_ >= constants_->start_attempts;
  }
  /// No start before.
  Time not_before() const { return not_before_; }

  void start() { retry_ = false; }
  void started(Orders& out) {
    end_deadline(out);
    failed_ = 0;
  }

 private:
  void end_deadline(Orders& out) {
    if (deadline_) out.add(Cancel{*deadline_});
    deadline_.reset();
  }

  const RecoveryConstants* constants_;
  std::optional<OrderId> deadline_{};  // of a job that was submitted and has not trained yet
  bool deadline_passed_ = false;
  bool retry_ = false;
  std::uint32_t failed_ = 0;  // in a row
  Time not_before_ = kStart;
};

}  // namespace gauntlet
