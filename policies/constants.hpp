// The constants of the policies under study: what a scenario's `policies`, `detection`, `diagnosis`, `checkpoint`,
// `recovery` sections say. Every constant of time is here, so that it can be tried. An initial value is the default of a
// scenario; a value that a scenario computes by default is zero here.
#pragma once

#include "core/id.hpp"
#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {

struct CustomPolicies;  // policies/custom/custom_policy.hpp

/// Which policies run, by the names in policies/controller/registry.hpp, or of custom policies.
struct PolicyNames {
  std::vector<std::string> detect;
  std::string diagnose = "suite";
  std::string checkpoint = "fixed";
  std::string restore = "one-reader";
  std::string recover = "replace";
  std::string retire = "never";
};

/// What a log line asks for.
enum class LineAction : std::uint8_t {
  replace,  // the job stops; the host that logged it is under suspicion
  restart,  // the job stops and starts again; nobody is under suspicion
  save,     // a warning of worse to come: a checkpoint, just in time
  alert,    // a person is told
  ignore,   // the line is not watched
};
struct LineRule {
  PatternId pattern;
  LineAction action = LineAction::replace;
  friend bool operator==(const LineRule&, const LineRule&) = default;
};

/// `learned-hang`: the timeout is a multiple of the longest of the first steps.
struct LearnedHangConstants {
  std::uint16_t samples = 16;                // steps after each start that it learns from
  double multiple = 5;                       // of the longest; > 1
  Duration floor = std::chrono::minutes(1);  // never below
};

/// `traffic-stopped`.
struct TrafficStoppedConstants {
  Duration lasting = std::chrono::minutes(10);  // after so long without any traffic the job is stopped
};

/// `traffic-period`.
struct TrafficPeriodConstants {
  double least = 0.8;         // traffic below this share of its mean has declined
  double fluctuation = 0.2;   // the period differs from the learned one by more than this share
  std::uint16_t samples = 5;  // periods after each start that it learns from
};

/// `fail-slow` and `change-point`: who computes slower than the hosts that do the same work.
struct FailSlowConstants {
  std::uint16_t peers = 64;                       // of each pipeline stage that are asked
  std::uint16_t samples = 2;                      // segment timings of each
  double deviations = 3.5;                        // robust z-score beyond which a host is slow
  double least_excess = 0.05;                     // and by at least this share above the median
  Duration continuity = std::chrono::minutes(4);  // for so long without a break
  double change = 0.1;                            // `change-point`: of the step time, that counts as one
};

/// `mfu`.
struct MfuConstants {
  std::uint16_t samples = 16;                   // steps after a start that the best is learned from
  double decline = 0.1;                         // of the best that counts
  Duration lasting = std::chrono::minutes(30);  // for so long
  bool restart = false;                         // save and start again; else a person is told
};

/// `loss`.
struct LossConstants {
  double spike = 10;  // above the running median, in robust standard deviations
};

/// `flap`.
struct FlapConstants {
  std::vector<PatternId> lines = {};  // that a NIC logs when it goes down
  std::uint32_t returns = 3;          // of one host within `window`
  Duration window = std::chrono::hours(12);
  Duration least_down = std::chrono::seconds(25);  // shorter ones do not count; zero: all do
  Duration apart = std::chrono::seconds(5);        // a line and the samples of traffic around it, at most
  Duration quarantine = std::chrono::hours(24);    // before the host may serve again
};

/// Lines that tell of wrong numbers: the job goes back to a checkpoint from before it can have computed them.
struct CorruptionConstants {
  std::vector<PatternId> lines = {};
  Duration late{};  // such a line is written up to so long after the numbers went wrong
};

struct DetectionConstants {
  Duration heartbeat_timeout = std::chrono::minutes(1);    // silence of a host after which it counts as lost
  Duration hang_timeout = std::chrono::minutes(10);        // no step completed for so long counts as a hang
  Duration collective_timeout = std::chrono::minutes(10);  // a job parameter: a rank that waits longer aborts
  Duration gather{};  // how long a job that stands still waits for somebody to be named; zero: not at all
  Duration clock_error{};  // what a host's clock says may be off by so much
  std::vector<LineRule> lines = {};
  LearnedHangConstants learned_hang = {};
  TrafficStoppedConstants traffic_stopped = {};
  TrafficPeriodConstants traffic_period = {};
  FailSlowConstants fail_slow = {};
  MfuConstants mfu = {};
  LossConstants loss = {};
  FlapConstants flap = {};
  CorruptionConstants corruption = {};
};

/// A probe of the suite. One with a group names all of it when it fails.
struct SuiteProbe {
  ProbeId probe;
  std::uint32_t group = 1;  // hosts that run it together

  SuiteProbe(ProbeId which, std::uint32_t together = 1) : probe(which), group(together) {}
  friend bool operator==(const SuiteProbe&, const SuiteProbe&) = default;
};

struct DiagnosisConstants {
  std::vector<SuiteProbe> suite = {};  // in the order in which they run; the first positive ends it
  bool examine_degraded = false;  // whether a host that only slows the job is examined before it is replaced
};

struct CheckpointConstants {
  // Training time between checkpoints to storage (fixed), and the first one (the others).
  Duration interval = std::chrono::minutes(30);
  Duration memory_interval = kForever;  // ... to host memory; kForever: none
  Duration peers_interval = kForever;   // ... to peers' memory
  Duration prior_mtbf{};                // what the scenario expects before anything is observed
  double prior_weight = 1;              // how many failures' worth of evidence that expectation is
  Duration prior_cost{};                // expected time for which one checkpoint to storage blocks training
  Duration prior_quick_cost{};          // ... to the quickest tier in use (two-level)
  double host_loss = 0.5;               // two-level: share of the failures that quicker tiers do not outlive
  Duration shortest =
      std::chrono::seconds(1);  // no optimum is ordered below this, however cheap a checkpoint is
  double hysteresis = 0.05;     // a new interval is ordered when it differs by more than this share
};

struct RecoveryConstants {
  // After so many restarts in place in one incident without progress, hosts under suspicion are replaced; with none
  // under suspicion a person is asked.
  std::uint32_t restarts_in_place = 1;
  // A stop so soon after a start counts as the same incident.
  Duration relapse_window = std::chrono::minutes(30);
  // A last checkpoint before a stop is waited for so long at most.
  Duration save_timeout = std::chrono::minutes(30);
  // Whether a start on the same hosts goes through the scheduler.
  bool reschedule = true;
  // A loss that is wrong, or a stop at the same step as the one before: so many checkpoints further back each time.
  std::uint32_t roll_back = 0;
  // Starts that fail before training begins: after so many in a row (0: never) the job keeps its hosts for `retention`, so
  // that somebody can look, and gives them back; a person is asked, and it starts anew once they answered.
  std::uint32_t start_attempts = 0;
  Duration start_backoff{};  // before the second attempt; doubles with each, up to `longest_backoff`
  Duration longest_backoff = std::chrono::minutes(5);
  Duration retention{};
  // With no host for a replaced one after so long, the job goes on with fewer data-parallel replicas, `least_replicas` or more,
  // and with more again once hosts for them stand by.
  Duration wait_for_spare = kForever;
  std::uint32_t least_replicas = 1;
  // A job that does not train so long after it was submitted keeps its hosts for `retention` and gives them back, as after the
  // last of `start_attempts`.
  Duration start_deadline = kForever;
};

/// `threshold`: a host that was evicted so often within the window leaves for good. `score`: likewise where its evictions, each
/// counting half as much after a window, come to so many.
struct RetirementConstants {
  std::uint32_t evictions = 3;
  Duration window = std::chrono::hours(24 * 30);
};

struct PolicyConstants {
  PolicyNames names;
  DetectionConstants detection;
  DiagnosisConstants diagnosis;
  CheckpointConstants checkpoint;
  RecoveryConstants recovery;
  RetirementConstants retirement = {};
  std::shared_ptr<const CustomPolicies> custom = {};  // null where `names` names none
};

}  // namespace gauntlet
