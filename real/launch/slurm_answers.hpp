// What the commands of Slurm print.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Whether it is the number of a job.
bool is_slurm_job(const std::string& text);

/// The value of `KEY=VALUE` in what `scontrol --oneliner show` prints; empty where there is none.
std::string slurm_field(const std::string& shown, const std::string& key);

/// The names that `scontrol show hostnames` prints.
std::vector<std::string> slurm_host_names(const std::string& shown);

/// The job that `sbatch --parsable` says it submitted; nothing where it says none.
std::optional<std::string> slurm_submitted_job(const std::string& printed);

/// Of what `squeue --steps --format="%i %j"` prints, the steps of that name.
std::vector<std::string> slurm_steps(const std::string& listed, const std::string& name);

struct SlurmJob {
  enum class State : std::uint8_t { pending, running, over } state = State::over;
  std::string node;  // where it runs; empty while it does not
};
/// The job in what `scontrol --oneliner show job` prints. Nothing where it does not say how the job stands, or that it runs and not where.
std::optional<SlurmJob> slurm_job(const std::string& shown);

}  // namespace gauntlet
