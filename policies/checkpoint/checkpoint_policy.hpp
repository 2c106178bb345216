// When to take checkpoints: at fixed intervals, or at the interval that is optimal for what was observed so far.
//
// The failure rate is learned, as the mean of a gamma posterior: the scenario's expectation counts as `prior_weight`
// failures over `prior_weight * prior_mtbf`. With a very large weight a policy learns nothing. The cost is that of the first
// checkpoint to storage after a start. With two levels it stays as expected, since only checkpoints to storage are reported.
// A new interval is ordered when it differs by more than `hysteresis`.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/checkpoint/interval.hpp"
#include "policies/constants.hpp"
#include "policies/custom/guarded.hpp"
#include "policies/detect/suspicion.hpp"

#include <cstdint>
#include <variant>

namespace gauntlet {

/// A gamma posterior of the job's failure rate.
class LearnedMtbf {
 public:
  void start(const CheckpointConstants& constants, Time now);
  void failed() { ++failures_; }
  /// Time passes. What was sensed earlier may arrive later.
  void pass(Time now) { last_ = last_ < now ? now : last_; }
  Duration mean() const;

 private:
  double prior_weight_ = 1;
  double prior_time_ = 0;  // seconds
  Time started_{}, last_{};
  std::uint32_t failures_ = 0;
};

/// `fixed`: checkpoints to storage every `interval`. Like every policy, it also orders checkpoints in memory that have an
/// interval of their own.
class FixedInterval {
 public:
  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  void training_began(Orders&) {}
  void on(const Seen&, Orders&) {}
  void stopped_by_fault(Time, Orders&) {}
};

/// `young`, `daly`, `exact`: the interval to storage of that formula (interval.hpp).
class OptimalInterval {
 public:
  enum class Formula : std::uint8_t { young, daly, exact };
  constexpr explicit OptimalInterval(Formula formula) : formula_(formula) {}

  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  /// Asks for the cost of the next checkpoint.
  void training_began(Orders& out);
  void on(const Seen& seen, Orders& out);
  void stopped_by_fault(Time now, Orders& out);

 private:
  void adjust(Time now, Orders& out);
  Duration best() const;

  Formula formula_;
  JobId job_;
  const CheckpointConstants* constants_ = nullptr;
  WatchId cost_watch_;
  LearnedMtbf mtbf_;
  Duration cost_{};
  Duration ordered_{};
};

/// `two-level`: the best interval of a quick tier together with the best one to storage (two_level_optimum). The quick
/// tier is that of the peers where these have an interval, which is not kept to, else the memory of each host. Of the
/// failures, `host_loss` are those that it does not outlive.
class TwoLevelInterval {
 public:
  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  void training_began(Orders&) {}
  void on(const Seen&, Orders&) {}
  void stopped_by_fault(Time now, Orders& out);

 private:
  void adjust(Time now, Orders& out);

  JobId job_;
  const CheckpointConstants* constants_ = nullptr;
  LearnedMtbf mtbf_;
  Tier quick_ = Tier::memory;
  Duration segment_{}, period_{};  // as ordered
  Duration planned_for_{};         // mean time between failures that they were sought for
};

using CheckpointPolicy = std::variant<FixedInterval, OptimalInterval, TwoLevelInterval, GuardedCheckpoint>;

}  // namespace gauntlet
