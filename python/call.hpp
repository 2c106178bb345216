// Runs a command inside this process, as `gauntlet` would run it, and gives what it answers.
#pragma once

#include "core/problem.hpp"
#include "policies/custom/custom_policy.hpp"
#include "study/policy_error.hpp"
#include "study/store/store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What came of a command.
struct CallAnswer {
  int exit_code = 0;      // shell/exit_code.hpp; from kSignalBase on it was stopped
  bool answered = false;  // there is a result: a report, with its JSON where the command has one
  std::string report, json;
  std::vector<Problem> problems, warnings;
  std::vector<std::string> messages;  // what else it says
  std::unique_ptr<Store> store;       // the replicas of a study without a directory
  std::optional<PolicyError> broken;  // a custom policy that broke a rule ended it
};

/// How many replicas are done, and left of those that were asked for last.
struct CallProgress {
  std::uint64_t done = 0, left = 0;
};

/// A command on a thread of its own. Its members may be used from any thread.
class Call {
 public:
  /// `words`: the command and its arguments, without the name of the program. Its scenarios may name `custom` policies.
  explicit Call(std::vector<std::string> words, std::shared_ptr<const CustomPolicies> custom = nullptr);
  /// Stops the command and waits for its end.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Ends the study early: what is done by then is the answer.
  void stop();
  /// Waits until the command has ended, or for a moment. True once it has ended.
  bool wait();
  CallProgress progress() const;
  /// Once it has ended.
  CallAnswer take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gauntlet
