// Policies that a study brings along: interfaces for code that is not part of this program, such as a class in Python.
//
// They hear and order what the policies of the registry do. The controller does not trust them: each call goes through a
// guard (guarded.hpp), which throws PolicyBreach where an order, a suspicion or a decision breaks a rule, and where the
// policy throws a std::exception. Anything else that they throw passes as it is, such as an interruption by a person.
//
// Each replica gets fresh objects. Like every policy they give the same orders for the same observations.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"
#include "policies/detect/suspicion.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// May order Watch, Unwatch, Wake, Cancel and Probe. Gets the reports of its watches and the outcomes of its orders.
class CustomDetector {
 public:
  virtual ~CustomDetector() = default;
  /// Takes the ids of all its watches. `assignment.constants` outlives it.
  virtual void start(const Assignment& assignment, Time now, WatchIds& ids, Orders& out) = 0;
  virtual void on(const Seen& seen, Time now, Orders& out, Suspicions& found) = 0;
  virtual void on(const Outcome&, Time, Orders&, Suspicions&) {}
  virtual void job_began(Time, Orders&) {}
  /// The job is to stop. Also called right before `job_began`: reports that were on their way are of the job before.
  virtual void job_ended(Time, Orders&) {}
  /// The job starts with another number of data-parallel replicas. Called before `job_ended` and `job_began`.
  virtual void job_resized(const Inventory&, Time, Orders&) {}
};

/// What a checkpoint policy is given at the start. `constants` outlives it.
struct CheckpointAssignment {
  JobId job;
  Inventory inventory;
  const CheckpointConstants* constants = nullptr;
};

/// May order CheckpointEvery, Checkpoint, Watch, Unwatch, Wake and Cancel. Gets the reports of its watches and the outcomes
/// of its orders.
class CustomCheckpoint {
 public:
  virtual ~CustomCheckpoint() = default;
  /// Takes the ids of all its watches.
  virtual void start(const CheckpointAssignment& assignment, Time now, WatchIds& ids, Orders& out) = 0;
  virtual void training_began(Time, Orders&) {}
  virtual void on(const Seen&, Time, Orders&) {}
  virtual void on(const Outcome&, Time, Orders&) {}
  /// An incident opened: a fault stopped the job, or will be the reason to stop it.
  virtual void stopped_by_fault(Time, Orders&) {}
};

/// A job that has stopped because of a fault, as its recovery knows it.
struct FaultStop {
  Time now{};
  std::vector<HostId> suspects = {};  // of the job, named in this incident, in the order of naming
  std::vector<HostId> slow = {};      // of the job, replaced without an examination because they slow it
  std::uint32_t restarts = 0;         // starts in this incident on hosts that no probe found faulty
  bool examine =
      false;  // the reports call for an examination; false: a restart cures it, or only slow hosts are replaced
};

/// What a recovery does with the stop.
struct RecoveryDecision {
  enum class What : std::uint8_t {
    restart,  // start on the same hosts
    examine,  // run the probes on the suspects, on every host where there are none, and replace whoever fails
    replace,  // replace `hosts` without an examination
    ask,      // ask a person
  };
  What what = What::examine;
  std::vector<HostId> hosts = {};  // `replace`: of the job
};

/// Decides what to do with a stop. The orders that follow, and their sequence, are those of every recovery.
class CustomRecovery {
 public:
  virtual ~CustomRecovery() = default;
  virtual void start(JobId, const Inventory&, const RecoveryConstants&) {}
  /// The ranks are gone. Not called where a person noticed the stop before any detector did: this person is asked.
  virtual RecoveryDecision stopped(const FaultStop& stop) = 0;
  /// The examination found no host. `examine` is not an answer.
  virtual RecoveryDecision found_nothing(const FaultStop& stop) = 0;
};

/// Makes one object for each replica; replicas run on several threads.
template <class Custom>
struct CustomFactory {
  std::string name;
  std::function<std::unique_ptr<Custom>()> make;
};

/// All that a study brings along. A policy runs where a scenario names it, as one of the registry does.
struct CustomPolicies {
  std::vector<CustomFactory<CustomDetector>> detectors = {};
  std::vector<CustomFactory<CustomCheckpoint>> checkpoints = {};
  std::vector<CustomFactory<CustomRecovery>> recoveries = {};

  /// Null where there is none of that name.
  const CustomFactory<CustomDetector>* detector(std::string_view name) const;
  const CustomFactory<CustomCheckpoint>* checkpoint(std::string_view name) const;
  const CustomFactory<CustomRecovery>* recovery(std::string_view name) const;
  /// Whether any of the names is of a custom policy.
  bool named_in(const PolicyNames& names) const;
};

}  // namespace gauntlet
