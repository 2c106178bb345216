#include "policies/registry.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 3> kDetectors = {"heartbeat", "log", "hang"};
constexpr std::array<std::string_view, 1> kDiagnosers = {"suite"};
constexpr std::array<std::string_view, 3> kCheckpointPolicies = {"fixed", "young", "daly"};
constexpr std::array<std::string_view, 2> kRecoveries = {"replace", "restart-in-place"};

template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  expect(found != names.end(), "policies are named by the registry");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::span<const std::string_view> detector_names() { return kDetectors; }
std::span<const std::string_view> diagnoser_names() { return kDiagnosers; }
std::span<const std::string_view> checkpoint_policy_names() { return kCheckpointPolicies; }
std::span<const std::string_view> recovery_names() { return kRecoveries; }

Detector make_detector(std::string_view name) {
  const std::array<Detector, kDetectors.size()> makers = {HeartbeatDetector{}, LogDetector{}, HangDetector{}};
  return makers[index_of(kDetectors, name)];
}

CheckpointPolicy make_checkpoint_policy(std::string_view name) {
  const std::array<CheckpointPolicy, kCheckpointPolicies.size()> makers = {
      FixedInterval{}, OptimalInterval{OptimalInterval::Formula::young},
      OptimalInterval{OptimalInterval::Formula::daly}};
  return makers[index_of(kCheckpointPolicies, name)];
}

Recovery::First first_step_of_recovery(std::string_view name) {
  constexpr std::array<Recovery::First, kRecoveries.size()> kFirst = {Recovery::First::diagnosis,
                                                                      Recovery::First::restart};
  return kFirst[index_of(kRecoveries, name)];
}

}  // namespace gauntlet
