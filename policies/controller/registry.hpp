// The policies by name: what a scenario's `policies` section can choose from. A new policy is one line in registry.cpp.
#pragma once

#include "policies/checkpoint/checkpoint_policy.hpp"
#include "policies/detect/detector.hpp"
#include "policies/diagnose/diagnoser.hpp"
#include "policies/recover/recovery.hpp"
#include "policies/spares/retirement.hpp"

#include <span>
#include <string_view>

namespace gauntlet {

std::span<const std::string_view> detector_names();           // policies.detect, any of them
std::span<const std::string_view> diagnoser_names();          // policies.diagnose
std::span<const std::string_view> checkpoint_policy_names();  // policies.checkpoint
std::span<const std::string_view> recovery_names();           // policies.recover
std::span<const std::string_view> restore_names();            // policies.restore
std::span<const std::string_view> retirement_names();         // policies.retire
std::span<const std::string_view> spares_policy_names();      // spares.policy, which sizes the world

/// The detectors that a scenario has unless it says otherwise: all but those that are alternatives to others.
std::span<const std::string_view> usual_detectors();

/// The name is one of the lists above.
Detector make_detector(std::string_view name);
Diagnoser make_diagnoser(std::string_view name);
CheckpointPolicy make_checkpoint_policy(std::string_view name);
Recovery::First first_step_of_recovery(std::string_view name);
Restore restore_named(std::string_view name);
Retirement make_retirement(std::string_view name, const RetirementConstants& constants);

/// What they watch: without any of these signals they cannot work.
std::span<const Signal> signals_of_detector(std::string_view name);
std::span<const Signal> signals_of_diagnoser(std::string_view name);

/// What they see or do, in a line for people.
std::string_view about_detector(std::string_view name);
std::string_view about_diagnoser(std::string_view name);
std::string_view about_checkpoint_policy(std::string_view name);
std::string_view about_recovery(std::string_view name);
std::string_view about_restore(std::string_view name);
std::string_view about_retirement(std::string_view name);
std::string_view about_spares_policy(std::string_view name);

}  // namespace gauntlet
