#include "real/probes/host/gpu_facts.hpp"

#include "real/probes/host/machine_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace gauntlet {
namespace {

/// The value of a line "Name: value" of the driver's description of a GPU.
std::string value_of(const std::string& description, const std::string& name) {
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> gpu_facts(const std::string& root) {
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> addresses;
  std::error_code error;
  const std::string gpus = root + "/proc/driver/nvidia/gpus";
  for (const auto& entry : std::filesystem::directory_iterator(gpus, error))
    addresses.push_back(entry.path().filename().string());
  std::sort(addresses.begin(), addresses.end());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string description = whole_text(gpus + "/" + addresses[i] + "/information").value_or("");
    const auto add = [&](const char* what, const std::string& value) {
      if (!value.empty()) facts.emplace_back(fmt::format("GPU {} {}", i, what), value);
    };
    add("model", value_of(description, "Model"));
    add("video BIOS", value_of(description, "Video BIOS"));
    add("firmware", value_of(description, "GPU Firmware"));
    add("link width",
        first_line(root + "/sys/bus/pci/devices/" + addresses[i] + "/current_link_width").value_or(""));
  }
  return facts;
}

std::string nccl_version_of(int code) {
  const int major = code < 10'000 ? 1000 : 10'000;
  return fmt::format("{}.{}.{}", code / major, code % major / 100, code % 100);
}

std::string nccl_version() {
  void* const library = ::dlopen("libnccl.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  using GetVersion = int (*)(int*);
  const auto get = reinterpret_cast<GetVersion>(::dlsym(library, "ncclGetVersion"));
  int code = 0;
  const bool known = get != nullptr && get(&code) == 0;
  return known ? nccl_version_of(code) : std::string();
}

}  // namespace gauntlet
