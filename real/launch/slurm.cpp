#include "real/launch/slurm.hpp"

#include "real/launch/command_run.hpp"

#include <algorithm>
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

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string failure(const std::vector<std::string>& arguments) {
  const CommandResult result = run_command(arguments, kPatience);
  return result.ok ? "" : result.why;
}

/// `KEY=VALUE` in what scontrol prints.
std::string field(const std::string& text, const std::string& key) {
  std::istringstream in(text);
  for (std::string word; in >> word;)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return "";
}

}  // namespace

std::optional<Slurm> Slurm::of_environment(std::string& why) {
  Slurm slurm;
  slurm.job_ = variable("SLURM_JOB_ID");
  slurm.conf_ = variable("SLURM_CONF");
  const std::string list = variable("SLURM_JOB_NODELIST");
  if (!is_number(slurm.job_) || list.empty()) {
    why = "there is no allocation: SLURM_JOB_ID or SLURM_JOB_NODELIST is not set";
    return std::nullopt;
  }
  const CommandResult names = run_command({"scontrol", "show", "hostnames", list}, kPatience);
  if (!names.ok) {
    why = names.why;
    return std::nullopt;
  }
  std::istringstream in(names.output);
  for (std::string name; in >> name;) slurm.nodes_.push_back(name);
  return slurm;
}

std::optional<std::string> Slurm::address(const std::string& node) const {
  const CommandResult shown = run_command({"scontrol", "--oneliner", "show", "node", node}, kPatience);
  std::string address = shown.ok ? field(shown.output, "NodeAddr") : "";
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
      run_command({"squeue", "--steps", "--noheader", "--jobs", job, "--format=%i %j"}, kPatience);
  if (!listed.ok) return listed.why;
  std::istringstream in(listed.output);
  std::string why;
  for (std::string step, name; in >> step >> name;)
    if (name == step_name) why += failure({"scancel", "--signal=KILL", step});
  return why;
}

std::optional<std::string> Slurm::submit_replacement(const std::string& directory, std::string& why) const {
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
      run_command({"sbatch", "--parsable", "--nodes=1", "--no-kill", "--no-requeue", "--exclusive",
                   "--job-name=gauntlet-replacement", "--output=/dev/null", "--chdir=" + directory, script},
                  kPatience);
  std::string job = result.output.substr(0, result.output.find_first_of("; \n"));
  if (result.ok && is_number(job)) return job;
  why = result.ok ? "sbatch printed no number of a job" : result.why;
  return std::nullopt;
}

std::optional<Slurm::Job> Slurm::look_at(const std::string& job) const {
  const CommandResult shown = run_command({"scontrol", "--oneliner", "show", "job", job}, kPatience);
  const std::string state = field(shown.output, "JobState");
  if (shown.output.find("Invalid job id") != std::string::npos) return Job{};
  if (!shown.ok || state.empty()) return std::nullopt;
  if (state == "RUNNING") return Job{JobState::running, field(shown.output, "NodeList")};
  if (state == "PENDING" || state == "CONFIGURING") return Job{JobState::pending, ""};
  return Job{};
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
