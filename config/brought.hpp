// Custom policies that scenarios may name beside the shipped ones.
#pragma once

#include "policies/custom/custom_policy.hpp"

#include <memory>

namespace gauntlet {

/// While it lives, scenarios that this thread opens may name these policies: policies.checkpoint = "MyPolicy". A ScenarioSource
/// keeps what was there when it was opened. Throws std::invalid_argument where two policies have one name, or the name of a
/// shipped policy, or one that is not an identifier.
class BroughtPolicies {
 public:
  explicit BroughtPolicies(std::shared_ptr<const CustomPolicies> custom);
  ~BroughtPolicies();
  BroughtPolicies(const BroughtPolicies&) = delete;
  BroughtPolicies& operator=(const BroughtPolicies&) = delete;

  /// Null where there are none.
  static std::shared_ptr<const CustomPolicies> here();

 private:
  std::shared_ptr<const CustomPolicies> before_;
};

}  // namespace gauntlet
