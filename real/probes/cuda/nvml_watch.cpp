#include "real/probes/cuda/nvml_watch.hpp"

#include "real/cuda/device.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace gauntlet::cuda {
namespace {

// Prototypes after https://docs.nvidia.com/deploy/nvml-api. Success is 0.
constexpr std::uint32_t kClockOfMultiprocessors = 1, kTemperatureOfGpu = 0;
constexpr std::uint64_t kPowerLimit = 0x4, kHeat = 0x20 | 0x40, kHardware = 0x8 | 0x80;

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

NvmlWatch::NvmlWatch() {
  library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  const auto init = function_of<int (*)()>(library_, "nvmlInit_v2");
  const auto by_bus = function_of<int (*)(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  int device = 0;
  char bus[32] = {};
  if (init == nullptr || by_bus == nullptr || init() != 0) return;
  if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess)
    return;
  if (by_bus(bus, &device_) != 0) device_ = nullptr;
}

NvmlWatch::~NvmlWatch() {
  if (library_ != nullptr) ::dlclose(library_);
}

void NvmlWatch::look() {
  if (device_ == nullptr) return;
  std::uint32_t clock = 0, power = 0, temperature = 0;
  unsigned long long reasons = 0;
  const auto clock_of =
      function_of<int (*)(void*, std::uint32_t, std::uint32_t*)>(library_, "nvmlDeviceGetClockInfo");
  const auto power_of = function_of<int (*)(void*, std::uint32_t*)>(library_, "nvmlDeviceGetPowerUsage");
  const auto temperature_of =
      function_of<int (*)(void*, std::uint32_t, std::uint32_t*)>(library_, "nvmlDeviceGetTemperature");
  const auto reasons_of =
      function_of<int (*)(void*, unsigned long long*)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (clock_of != nullptr && clock_of(device_, kClockOfMultiprocessors, &clock) == 0)
    lowest_clock_ = lowest_clock_ == 0 ? clock : std::min(lowest_clock_, clock);
  if (power_of != nullptr && power_of(device_, &power) == 0) most_power_ = std::max(most_power_, power);
  if (temperature_of != nullptr && temperature_of(device_, kTemperatureOfGpu, &temperature) == 0)
    highest_temperature_ = std::max(highest_temperature_, temperature);
  if (reasons_of != nullptr && reasons_of(device_, &reasons) == 0) reasons_ |= reasons;
  looked_ = true;
}

std::vector<std::pair<std::string, std::string>> NvmlWatch::facts() const {
  if (!looked_) return {};
  return {{"lowest clock", std::to_string(lowest_clock_) + " MHz"},
          {"most power", std::to_string(most_power_ / 1000) + " W"},
          {"highest temperature", std::to_string(highest_temperature_) + " C"}};
}

std::string NvmlWatch::remark() const {
  std::string out;
  if ((reasons_ & kHeat) != 0) out = "it lowered its clock against heat";
  if ((reasons_ & kHardware) != 0)
    out += std::string(out.empty() ? "" : "; ") + "its hardware lowered the clock";
  if (out.empty() && (reasons_ & kPowerLimit) != 0) out = "it ran at its limit of power";
  return out;
}

}  // namespace gauntlet::cuda
