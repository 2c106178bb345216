#include "real/launch/slurm.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);  // a controller that is busy answers within seconds

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::optional<Slurm> Slurm::of_environment(std::string& why) {
  Slurm slurm;
  slurm.job_ = variable("SLURM_JOB_ID");
  slurm.conf_ = variable("SLURM_CONF");
  const std::string list = variable("SLURM_JOB_NODELIST");
  if (!is_slurm_job(slurm.job_) || list.empty()) {
    why = "there is no allocation: SLURM_JOB_ID or SLURM_JOB_NODELIST is not set";
    return std::nullopt;
  }
  const CommandResult names = run_command({"scontrol", "show", "hostnames", list}, kPatience);
  if (!names.ok) {
    why = names.why;
    return std::nullopt;
  }
  slurm.nodes_ = slurm_host_names(names.output);
  return slurm;
}

std::string Slurm::failure(const std::vector<std::string>& arguments) const {
  const CommandResult result = run_(arguments, kPatience);
  return result.ok ? "" : result.why;
}

std::optional<std::string> Slurm::address(const std::string& node) const {
  const CommandResult shown = run_({"scontrol", "--oneliner", "show", "node", node}, kPatience);
  std::string address = shown.ok ? slurm_field(shown.output, "NodeAddr") : "";
  return address.empty() ? std::nullopt : std::optional(std::move(address));
}

std::string Slurm::drain(const std::string& node, const std::string& reason) const {
  return failure({"scontrol", "update", "nodename=" + node, "state=drain", "reason=" + reason});
}

std::string Slurm::resume(const std::string& node) const {
  return failure({"scontrol", "update", "nodename=" + node, "state=resume"});
}

std::string Slurm::cancel_job(const std::string& job) const { return failure({"scancel", job}); }

std::string Slurm::cancel_steps(const std::string& job, const std::string& step_name) const {
  const CommandResult listed =
      run_({"squeue", "--steps", "--noheader", "--jobs", job, "--format=%i %j"}, kPatience);
  if (!listed.ok) return listed.why;
  std::string why;
  for (const std::string& step : slurm_steps(listed.output, step_name))
    why += failure({"scancel", "--signal=KILL", step});
  return why;
}

std::optional<std::string> Slurm::submit_replacement(const std::string& directory, const std::string& name,
                                                     std::string& why) const {
  // The job ends with the allocation, also where nobody is left to cancel it. Nothing of the user's is in the script.
  // A controller that does not answer says nothing of the allocation.
  const std::string script = directory + "/replacement.sh";
  std::ofstream file(script);
  file << "#!/bin/sh\nwhile :; do\n  case $(scontrol show job " << job_
       << " 2>&1) in\n    *JobState=RUNNING*|*JobState=PENDING*|*JobState=CONFIGURING*|*JobState=SUSPENDED*) "
          ";;\n"
          "    *JobState=*|*\"Invalid job id\"*) exit ;;\n  esac\n  sleep 5\ndone\n";
  file.close();
  if (!file) {
    why = script + " cannot be written";
    return std::nullopt;
  }
  const CommandResult result =
      run_({"sbatch", "--parsable", "--nodes=1", "--no-kill", "--no-requeue", "--exclusive",
            "--job-name=" + name, "--output=/dev/null", "--chdir=" + directory, script},
           kPatience);
  const std::optional<std::string> job = slurm_submitted_job(result.output);
  if (result.ok && job) return job;
  why = result.ok ? "sbatch printed no number of a job" : result.why;
  return std::nullopt;
}

std::optional<std::vector<std::string>> Slurm::jobs_named(const std::string& name, std::string& why) const {
  const CommandResult listed = run_({"squeue", "--noheader", "--name=" + name,
                                     "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED", "--format=%i"},
                                    kPatience);
  why = listed.why;
  if (!listed.ok) return std::nullopt;
  std::istringstream in(listed.output);
  std::vector<std::string> jobs;
  for (std::string job; in >> job;)
    if (is_slurm_job(job)) jobs.push_back(job);
  return jobs;
}

std::optional<SlurmJob> Slurm::look_at(const std::string& job) const {
  const CommandResult shown = run_({"scontrol", "--oneliner", "show", "job", job}, kPatience);
  std::optional<SlurmJob> found = slurm_job(shown.output);
  // Of a job that it does not know any more the command fails, and says so.
  return shown.ok || (found && found->state == SlurmJob::State::over) ? found : std::nullopt;
}

std::vector<std::string> Slurm::step_on(const SlurmNode& node, const std::string& step_name) const {
  // The process of an agent gets few variables of ours: env adds what srun needs, and who the agent is.
  std::vector<std::string> words = {"/usr/bin/env", "POD_NAME=" + node.name};
  if (!conf_.empty()) words.push_back("SLURM_CONF=" + conf_);
  const std::vector<std::string> srun = {"srun",         "--jobid=" + node.job, "--nodelist=" + node.name,
                                         "--nodes=1",    "--ntasks=1",          "--overlap",
                                         "--unbuffered", "--immediate=15",      "--job-name=" + step_name};
  words.insert(words.end(), srun.begin(), srun.end());
  return words;
}

}  // namespace gauntlet
