// What a custom policy did wrong, where, and the recording that leads there.
#pragma once

#include "core/record/record.hpp"
#include "core/record/recording.hpp"
#include "policies/custom/breach.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace gauntlet {

struct ReplicaName {
  std::uint64_t seed = 0;
  std::uint32_t replica = 0;
};

/// Ends a study. Its text names the policy, the replica, the observation, the rule, and the order that broke it.
class PolicyError : public std::runtime_error {
 public:
  /// `record` ends with the observation that the policy answered; without any, the policy was being made.
  PolicyError(const PolicyBreach& breach, ReplicaName replica, const Record& record);

  const PolicyBreach& breach() const { return breach_; }
  ReplicaName replica() const { return replica_; }
  /// The observation that the policy answered.
  std::optional<Observed> observation() const;
  /// All observations, and all orders that were started. The orders that answer the last observation are in breach().
  const Record& record() const { return *record_; }

  /// The scenario as a recording needs it; empty until somebody who knows it says so.
  std::string scenario;
  /// Writes a recording that replays to the same point.
  std::optional<Problem> write_recording(const std::string& path) const;

 private:
  PolicyBreach breach_;
  ReplicaName replica_;
  std::shared_ptr<const Record> record_;
};

}  // namespace gauntlet
