// What Gauntlet calls of NVIDIA's management library: prototypes of our own after its documentation
// (https://docs.nvidia.com/deploy/nvml-api), so that Gauntlet builds where nothing of NVIDIA is installed.
#pragma once

#include <cstdint>

namespace gauntlet::nvml {

/// An opaque handle (nvmlDevice_t).
using Device = void*;

/// nvmlReturn_t, as far as Gauntlet tells its values apart.
enum class Return : std::int32_t {
  success = 0,
  invalid_argument = 2,
  not_supported = 3,
  insufficient_size = 7,
  timeout = 10,
  function_not_found = 13,
  gpu_is_lost = 15,
};

/// nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
struct PciInfo {
  char bus_id_legacy[16];
  std::uint32_t domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/// nvmlMemory_t, in bytes.
struct Memory {
  std::uint64_t total, free, used;
};

/// nvmlUtilization_t, in percent.
struct Utilization {
  std::uint32_t gpu, memory;
};

/// nvmlFieldValue_t; `value` is its union, read as unsigned long long. Fields NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX and _RX are such, in KiB.
struct FieldValue {
  std::uint32_t field, scope;
  std::int64_t at, latency;  // microseconds
  std::int32_t type;
  Return code;
  std::uint64_t value;
};
inline constexpr std::uint32_t kLinkKibSent = 138, kLinkKibReceived = 139;

/// nvmlEventSet_t and nvmlEventData_t.
using EventSet = void*;
struct Event {
  Device device;
  std::uint64_t type, data;  // the number of an XID
  std::uint32_t gpu_instance, compute_instance;
};
inline constexpr std::uint64_t kXidEvent = 0x8;  // nvmlEventTypeXidCriticalError

/// nvmlTemperatureSensors_t and nvmlClockType_t.
inline constexpr std::uint32_t kTemperatureOfGpu = 0, kClockOfMultiprocessors = 1;

/// nvmlMemoryErrorType_t and nvmlEccCounterType_t.
inline constexpr std::uint32_t kCorrected = 0, kUncorrected = 1;
inline constexpr std::uint32_t kSinceDriverLoad = 0;

/// Bits of nvmlDeviceGetCurrentClocksThrottleReasons that say that the hardware protects itself.
inline constexpr std::uint64_t kHardwareSlowdown = 0x8, kSoftwareThermal = 0x20, kHardwareThermal = 0x40,
                               kPowerBrake = 0x80;

/// nvmlNvLinkErrorCounter_t counts four kinds of errors; NVML_NVLINK_MAX_LINKS.
inline constexpr std::uint32_t kLinkErrorKinds = 4, kMostLinks = 18;

template <class... Arguments>
using Call = Return (*)(Arguments...);

/// Null where the library has no function of that name.
struct Table {
  Call<> init, shutdown;
  const char* (*error_string)(Return);
  Call<char*, std::uint32_t> driver_version;
  Call<std::uint32_t*> device_count;
  Call<std::uint32_t, Device*> device_by_index;
  Call<Device, char*, std::uint32_t> name, uuid;
  Call<Device, PciInfo*> pci;
  Call<Device, Memory*> memory;
  Call<Device, std::uint32_t*, std::uint32_t*> mig_mode, ecc_mode;        // at present, after a reset
  Call<Device, std::uint32_t, std::uint32_t, std::uint64_t*> ecc_errors;  // kind, counter
  Call<Device, std::uint32_t*, std::uint32_t*, std::uint32_t*, std::uint32_t*>
      remapped_rows;  // for corrected errors, for uncorrected ones, whether one is pending, whether one failed
  Call<Device, std::uint64_t*> throttle_reasons;
  Call<Device, std::uint32_t*> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max, pcie_replays;
  Call<Device, std::uint32_t, std::uint32_t*> link_state;                  // by link: whether it is active
  Call<Device, std::uint32_t, std::uint32_t, std::uint64_t*> link_errors;  // by link and kind
  Call<Device, std::uint32_t, std::uint32_t*> temperature, clock;          // by sensor, in C; by kind, in MHz
  Call<Device, std::uint32_t*> power;                                      // in mW
  Call<Device, Utilization*> utilization;
  Call<Device, std::uint32_t*, void*> processes;  // room for so many, and how many there are
  Call<Device, std::int32_t, FieldValue*> field_values;
  Call<EventSet*> create_events;
  Call<EventSet> free_events;
  Call<Device, std::uint64_t, EventSet> register_events;  // by kinds
  Call<EventSet, Event*, std::uint32_t> wait_for_event;   // for so many milliseconds
};

}  // namespace gauntlet::nvml
