// Shipped policies behind the interfaces of custom ones.
#pragma once

#include "policies/checkpoint/checkpoint_policy.hpp"
#include "policies/custom/custom_policy.hpp"
#include "policies/detect/hang_detector.hpp"

#include <memory>
#include <utility>

namespace gauntlet {

class DalyTwin final : public CustomCheckpoint {
 public:
  void start(const CheckpointAssignment& given, Time now, WatchIds& ids, Orders& out) override {
    shipped_.start(given.job, *given.constants, now, ids, out);
  }
  void training_began(Time, Orders& out) override { shipped_.training_began(out); }
  void on(const Seen& seen, Time, Orders& out) override { shipped_.on(seen, out); }
  using CustomCheckpoint::on;
  void stopped_by_fault(Time now, Orders& out) override { shipped_.stopped_by_fault(now, out); }

 private:
  OptimalInterval shipped_{OptimalInterval::Formula::daly};
};

class HangTwin final : public CustomDetector {
 public:
  void start(const Assignment& given, Time, WatchIds& ids, Orders& out) override {
    shipped_.start(given, ids, out);
  }
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found) override {
    shipped_.on(seen, now, out, found);
  }
  using CustomDetector::on;

 private:
  HangDetector shipped_;
};

/// `replace` and `restart-in-place`, which differ in what they try first.
class RecoveryTwin final : public CustomRecovery {
 public:
  using What = RecoveryDecision::What;
  explicit RecoveryTwin(bool restarts_first) : restarts_first_(restarts_first) {}

  void start(JobId, const Inventory&, const RecoveryConstants& constants) override {
    restarts_ = constants.restarts_in_place;
  }
  RecoveryDecision stopped(const FaultStop& stop) override {
    const bool restart = restarts_first_ && stop.restarts < restarts_;
    return {stop.examine && !restart ? What::examine : What::restart};
  }
  RecoveryDecision found_nothing(const FaultStop& stop) override {
    if (stop.restarts < restarts_) return {What::restart};
    return stop.suspects.empty() ? RecoveryDecision{What::ask}
                                 : RecoveryDecision{What::replace, stop.suspects};
  }

 private:
  bool restarts_first_;
  std::uint32_t restarts_ = 0;
};

template <class Custom, class Policy, class... Arguments>
CustomFactory<Custom> made_as(std::string name, Arguments... arguments) {
  return {std::move(name), [=] { return std::make_unique<Policy>(arguments...); }};
}

}  // namespace gauntlet
