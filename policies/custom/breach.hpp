// The exception of a custom policy that broke its contract.
#pragma once

#include "core/action.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

enum class PolicyKind : std::uint8_t { detector, checkpoint, recovery };

constexpr std::string_view name_of(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::detector:
      return "detector";
    case PolicyKind::checkpoint:
      return "checkpoint policy";
    case PolicyKind::recovery:
      break;
  }
  return "recovery";
}

/// Thrown through a custom policy where a person interrupted it: the replica is abandoned, as by a stop flag.
struct PolicyInterrupted {};

/// Ends the replica. It knows neither the replica nor the observation: whoever runs the replica adds them
/// (study/policy_error.hpp).
struct PolicyBreach : std::exception {
  PolicyKind kind = PolicyKind::detector;
  std::string policy;          // the name of the custom policy
  std::string rule;            // a sentence: what must hold
  std::string found;           // what was found instead, where that is not an order
  std::optional<Order> order;  // the order that broke the rule
  std::vector<Order> before;   // orders that the policy gave before it, for the same observation
  std::exception_ptr cause;    // what the policy threw; null where it threw nothing

  const char* what() const noexcept override { return rule.c_str(); }
};

}  // namespace gauntlet
