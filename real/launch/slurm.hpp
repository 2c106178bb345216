// The Slurm in whose allocation a drill runs, by its commands. Every call waits for a command; a failure is an explanation.
#pragma once

#include "core/time.hpp"
#include "real/launch/slurm_answers.hpp"
#include "real/system/command_run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// A node that a drill has, and the job whose allocation holds it.
struct SlurmNode {
  std::string name;
  std::string job;
  friend bool operator==(const SlurmNode&, const SlurmNode&) = default;
};

class Slurm {
 public:
  /// Of the allocation of this process (SLURM_JOB_ID); nothing where there is none, with `why`.
  static std::optional<Slurm> of_environment(std::string& why);

  /// What runs its commands from now on, in place of run_command.
  using Runner = std::function<CommandResult(const std::vector<std::string>& arguments, Duration timeout)>;
  void run_by(Runner runner) { run_ = std::move(runner); }

  const std::string& job() const { return job_; }
  /// The nodes of the allocation, in Slurm's order.
  const std::vector<std::string>& nodes() const { return nodes_; }
  /// Where a node is reached; nothing if Slurm does not say.
  std::optional<std::string> address(const std::string& node) const;

  /// Each explains what failed; empty where it was done.
  std::string drain(const std::string& node, const std::string& reason) const;
  std::string resume(const std::string& node) const;
  std::string cancel_job(const std::string& job) const;
  std::string cancel_steps(const std::string& job, const std::string& step_name) const;

  /// Submits a job of that name that holds one node until the allocation ends, or until it is cancelled. Its number, or nothing with
  /// `why`.
  std::optional<std::string> submit_replacement(const std::string& directory, const std::string& name,
                                                std::string& why) const;
  /// The numbers of the jobs of that name that wait or run; nothing where Slurm does not say, with `why`.
  std::optional<std::vector<std::string>> jobs_named(const std::string& name, std::string& why) const;
  /// Nothing where Slurm does not answer now.
  std::optional<SlurmJob> look_at(const std::string& job) const;

  /// What runs a command on a node of the job as a step of that name: its first arguments.
  std::vector<std::string> step_on(const SlurmNode& node, const std::string& step_name) const;

 private:
  std::string failure(const std::vector<std::string>& arguments) const;

  Runner run_ = [](const auto& arguments, Duration timeout) { return run_command(arguments, timeout); };
  std::string job_;
  std::string conf_;  // SLURM_CONF, empty for the usual one
  std::vector<std::string> nodes_;
};

}  // namespace gauntlet
