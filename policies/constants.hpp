// The constants of the policies under study: what a scenario's `policies`, `detection`, `diagnosis`, `checkpoint`,
// `recovery` sections say. Every constant of time is here, so that it can be tried.
#pragma once

#include "core/id.hpp"
#include "core/time.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// Which policies run, by the names in policies/registry.hpp.
struct PolicyNames {
  std::vector<std::string> detect;
  std::string diagnose;
  std::string checkpoint;
  std::string recover;
};

struct DetectionConstants {
  Duration heartbeat_timeout{};         // silence of a host after which it counts as lost
  Duration hang_timeout{};              // no step completed for so long counts as a hang
  Duration collective_timeout{};        // a job parameter: a rank that waits longer aborts
  std::vector<PatternId> log_patterns;  // log lines that stop the job
};

struct DiagnosisConstants {
  std::vector<ProbeId> suite;  // in the order in which they run; the first positive ends it
};

struct CheckpointConstants {
  Duration interval{};       // training time between checkpoints (fixed), and the first one (young, daly)
  Duration prior_mtbf{};     // what the scenario expects before anything is observed
  double prior_weight = 1;   // how many failures' worth of evidence that expectation is
  Duration prior_cost{};     // expected time for which one checkpoint blocks training
  Duration shortest{};       // no optimum is ordered below this, however cheap a checkpoint is
  double hysteresis = 0.05;  // a new interval is ordered when it differs by more than this share
};

struct RecoveryConstants {
  // After so many restarts in place in one incident without progress, hosts under suspicion are replaced; with none
  // under suspicion a person is asked.
  std::uint32_t restarts_in_place = 1;
  // A stop so soon after a start counts as the same incident.
  Duration relapse_window{};
};

struct PolicyConstants {
  PolicyNames names;
  DetectionConstants detection;
  DiagnosisConstants diagnosis;
  CheckpointConstants checkpoint;
  RecoveryConstants recovery;
};

}  // namespace gauntlet
