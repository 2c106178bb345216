#include "real/launch/slurm_answers.hpp"

#include <algorithm>
#include <sstream>

namespace gauntlet {

bool is_slurm_job(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string slurm_field(const std::string& shown, const std::string& key) {
  std::istringstream in(shown);
  for (std::string word; in >> word;)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return "";
}

std::vector<std::string> slurm_host_names(const std::string& shown) {
  std::vector<std::string> names;
  std::istringstream in(shown);
  for (std::string name; in >> name;) names.push_back(name);
  return names;
}

std::optional<std::string> slurm_submitted_job(const std::string& printed) {
  std::string job = printed.substr(0, printed.find_first_of("; \n"));
  return is_slurm_job(job) ? std::optional(std::move(job)) : std::nullopt;
}

std::vector<std::string> slurm_steps(const std::string& listed, const std::string& name) {
  std::vector<std::string> steps;
  std::istringstream in(listed);
  for (std::string step, its_name; in >> step >> its_name;)
    if (its_name == name) steps.push_back(step);
  return steps;
}

std::optional<SlurmJob> slurm_job(const std::string& shown) {
  if (shown.find("Invalid job id") != std::string::npos) return SlurmJob{};
  const std::string state = slurm_field(shown, "JobState");
  if (state.empty()) return std::nullopt;
  if (state == "PENDING" || state == "CONFIGURING") return SlurmJob{SlurmJob::State::pending, ""};
  if (state != "RUNNING") return SlurmJob{};
  std::string node = slurm_field(shown, "NodeList");
  if (node.empty() || node == "(null)") return std::nullopt;
  return SlurmJob{SlurmJob::State::running, std::move(node)};
}

}  // namespace gauntlet
