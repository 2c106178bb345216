#include "real/nvml/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace gauntlet::nvml {
namespace {

template <class Function>
void find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

void Library::Closes::operator()(void* library) const { ::dlclose(library); }

Library::Library(const std::string& path) {
  if (!load(path)) return;
  const Trouble trouble = ask("nvmlInit_v2", table_.init);
  initialised_ = !trouble;
  why_not_ = trouble.why;
}

Library::~Library() {
  if (initialised_ && table_.shutdown != nullptr) table_.shutdown();
}

bool Library::load(const std::string& path) {
  library_.reset(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_) {
    const char* const why = ::dlerror();
    why_not_ = fmt::format("no NVIDIA driver: {}", why == nullptr ? path : why);
    return false;
  }
  void* const library = library_.get();
  Table& to = table_;
  find(library, "nvmlInit_v2", to.init);
  find(library, "nvmlShutdown", to.shutdown);
  find(library, "nvmlErrorString", to.error_string);
  find(library, "nvmlSystemGetDriverVersion", to.driver_version);
  find(library, "nvmlDeviceGetCount_v2", to.device_count);
  find(library, "nvmlDeviceGetHandleByIndex_v2", to.device_by_index);
  find(library, "nvmlDeviceGetName", to.name);
  find(library, "nvmlDeviceGetUUID", to.uuid);
  find(library, "nvmlDeviceGetPciInfo_v3", to.pci);
  find(library, "nvmlDeviceGetMemoryInfo", to.memory);
  find(library, "nvmlDeviceGetMigMode", to.mig_mode);
  find(library, "nvmlDeviceGetEccMode", to.ecc_mode);
  find(library, "nvmlDeviceGetTotalEccErrors", to.ecc_errors);
  find(library, "nvmlDeviceGetRemappedRows", to.remapped_rows);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", to.throttle_reasons);
  find(library, "nvmlDeviceGetCurrPcieLinkGeneration", to.pcie_generation);
  find(library, "nvmlDeviceGetMaxPcieLinkGeneration", to.pcie_generation_max);
  find(library, "nvmlDeviceGetCurrPcieLinkWidth", to.pcie_width);
  find(library, "nvmlDeviceGetMaxPcieLinkWidth", to.pcie_width_max);
  find(library, "nvmlDeviceGetPcieReplayCounter", to.pcie_replays);
  find(library, "nvmlDeviceGetNvLinkState", to.link_state);
  find(library, "nvmlDeviceGetNvLinkErrorCounter", to.link_errors);
  find(library, "nvmlDeviceGetTemperature", to.temperature);
  find(library, "nvmlDeviceGetClockInfo", to.clock);
  find(library, "nvmlDeviceGetPowerUsage", to.power);
  find(library, "nvmlDeviceGetUtilizationRates", to.utilization);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3", to.processes);
  find(library, "nvmlDeviceGetFieldValues", to.field_values);
  find(library, "nvmlEventSetCreate", to.create_events);
  find(library, "nvmlEventSetFree", to.free_events);
  find(library, "nvmlDeviceRegisterEvents", to.register_events);
  find(library, "nvmlEventSetWait_v2", to.wait_for_event);
  return true;
}

Trouble Library::trouble_of(const char* name, Return code) const {
  if (code == Return::success) return {};
  const char* const words = table_.error_string == nullptr ? nullptr : table_.error_string(code);
  return {.why = words == nullptr ? fmt::format("{} gives error {}", name, static_cast<int>(code))
                                  : fmt::format("{}: {}", name, words),
          .code = code};
}

std::string Library::driver_version() const {
  std::array<char, 80> text{};
  if (ask("nvmlSystemGetDriverVersion", table_.driver_version, text.data(),
          static_cast<std::uint32_t>(text.size() - 1)))
    return {};
  return text.data();
}

Trouble Library::count(std::uint32_t& gpus) const {
  return ask("nvmlDeviceGetCount_v2", table_.device_count, &gpus);
}

Trouble Library::device(std::uint32_t index, Device& device) const {
  return ask("nvmlDeviceGetHandleByIndex_v2", table_.device_by_index, index, &device);
}

}  // namespace gauntlet::nvml
