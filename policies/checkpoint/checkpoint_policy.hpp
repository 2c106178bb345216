// When to take checkpoints: at a fixed interval, or at the optimum for what has been observed so far.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"
#include "policies/detect/suspicion.hpp"

#include <cstdint>
#include <variant>

namespace gauntlet {

class FixedInterval {
 public:
  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  void training_began(Orders&) {}
  void on(const Seen&, Orders&) {}
  void stopped_by_fault(Time, Orders&) {}
};

/// Young's or Daly's interval for the observed failure rate and checkpoint cost. The rate is a gamma posterior's mean:
/// the scenario's expectation counts as `prior_weight` failures over `prior_weight * prior_mtbf`.
class OptimalInterval {
 public:
  enum class Formula : std::uint8_t { young, daly };
  explicit OptimalInterval(Formula formula) : formula_(formula) {}

  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  /// Asks for the cost of the next checkpoint.
  void training_began(Orders& out);
  void on(const Seen& seen, Orders& out);
  void stopped_by_fault(Time now, Orders& out);

 private:
  void adjust(Time now, Orders& out);

  Formula formula_;
  JobId job_;
  const CheckpointConstants* constants_ = nullptr;
  WatchId cost_watch_;
  Time started_{};
  Time last_{};
  Duration cost_{};
  std::uint32_t failures_ = 0;
  Duration ordered_{};
};

using CheckpointPolicy = std::variant<FixedInterval, OptimalInterval>;

}  // namespace gauntlet
