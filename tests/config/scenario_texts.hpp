// Scenario texts that the tests of config/ start from, and folders that they write to.
#pragma once

#include "config/scenario.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The least that a scenario has to say: 2 hosts of 8 GPUs, tp 4 x pp 1 x dp 4 = 16 ranks.
inline const std::string kSmall = R"(
[cluster]
hosts = 2
hardware = "h100"

[job]
model = "tiny-1b"
global_batch = 16
window = "10d"

[job.layout]
tp = 4
dp = 4

[storage]
mode = "two_stage"
bytes_per_parameter = 14.0
free = true
)";

/// A host of eight GPUs and two NICs, to stand in the place of kSmall's hardware.
inline const std::string kTwoNics = R"(
[cluster.hardware]
name = "two NICs"
gpus_per_host = 8
nics_per_host = 2
peak = "989.5TFLOP/s"
memory = "80GB"
memory_bandwidth = "3.35TB/s"
nvlink = "900GB/s"
nic = "400Gb/s"
pcie = "64GB/s"
)";

/// What every fault has to say beside how often; a restart cures it, so that nothing need be said of repairs.
inline const std::string kCrash = "component = \"host\"\neffect = \"crash\"\nremedy = \"restart\"\n";

/// `text` with its first `from` replaced.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "the test's own mistake: no " + std::string(from)
                                 : text.replace(at, from.size(), to);
}

inline LoadedScenario load_text(const std::string& text, const std::vector<std::string>& sets = {}) {
  return load_scenario_text(text, "test.toml", sets);
}

/// Every problem on a line of its own.
inline std::string problems_of(const LoadedScenario& loaded) {
  std::string out;
  for (const Problem& problem : loaded.problems) out += problem.text() + "\n";
  return out;
}

/// A folder that is gone when the test is over.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gauntlet-config-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path(const std::string& name = {}) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace gauntlet
