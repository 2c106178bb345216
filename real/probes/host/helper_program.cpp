#include "real/probes/host/helper_program.hpp"

#include "real/probes/sample_json.hpp"
#include "real/system/command_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

// The process of the probe is killed at the probe's deadline, and this program with it.
constexpr Duration kBeyondDeadlines = std::chrono::hours(24);
constexpr int kNotLoaded = 127;         // what the dynamic linker ends a program with
constexpr int kKilled = 128 + SIGKILL;  // by the kernel, for want of the host's memory, or by somebody

/// Beside this program, where the build puts it, unless the host names another.
std::string path_of(const std::string& program, const std::string& named) {
  if (!named.empty()) return named;
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return (own.parent_path() / program).string();
}

ProbeSample inconclusive_sample(std::string why) {
  ProbeSample sample;
  sample.inconclusive = std::move(why);
  return sample;
}

ProbeSample wrong_sample(std::string why) {
  ProbeSample sample;
  sample.errors.push_back(std::move(why));
  return sample;
}

/// `needs`: what it is built with.
ProbeSample probe_by(const std::string& program, const std::string& needs, const std::string& name) {
  std::error_code unknown;
  if (!std::filesystem::exists(program, unknown))
    return unsupported_sample("Gauntlet was built without " + needs + ": there is no " + program);
  const CommandResult result = run_command({program, name}, kBeyondDeadlines);
  if (!result.started || result.code == kNotLoaded) return unsupported_sample(result.why);
  if (result.code == kKilled) return inconclusive_sample(result.why);
  if (!result.ok) return wrong_sample(result.why);
  // One line; a library may have printed others. Within texts of it quotes are escaped.
  const std::size_t begin = std::min(result.output.rfind("{\"parts\":"), result.output.size());
  const std::string line = result.output.substr(begin, result.output.find('\n', begin) - begin);
  const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
  if (json.is_discarded()) return wrong_sample(program + " says nothing that can be read");
  try {
    return json.get<ProbeSample>();
  } catch (const nlohmann::json::exception&) {
    return wrong_sample(program + " says something else than what it measured");
  }
}

}  // namespace

ProbeSample probe_by_cuda(const ProbedHost& host, const std::string& name) {
  return probe_by(path_of("gauntlet-cuda-probe", host.cuda_program), "CUDA", name);
}

ProbeSample probe_ucx_mesh(const ProbedHost& host) {
  return probe_by(path_of("gauntlet-ucx-probe", host.ucx_program), "UCX", "mesh");
}

}  // namespace gauntlet
