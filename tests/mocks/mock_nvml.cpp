// A library that answers as NVIDIA's management library does, of two GPUs. The environment variable MOCK_NVML says what is wrong with the second
// one, in words with spaces between them, and mock_nvml_say() says it anew: see `says`. With MOCK_NVML_OLD it lacks what old drivers lack.
#include "real/nvml/api.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

using namespace gauntlet::nvml;

namespace {

constexpr Return kNoPermission{4}, kDriverNotLoaded{9}, kUnknown{999};
constexpr std::uint32_t kLinks = 4;

std::atomic<std::uint64_t> calls = 0, failures = 0, replays = 0, grown = 0;
std::mutex mutex;
std::string told = std::getenv("MOCK_NVML") == nullptr ? "" : std::getenv("MOCK_NVML");
std::deque<std::uint64_t> xids;  // events that nobody has waited for

/// The value of "NAME=VALUE", 1 of a word alone; 0 where it is not there.
std::uint64_t says(const std::string& name) {
  const std::scoped_lock hold(mutex);
  std::istringstream words(told);
  for (std::string word; words >> word;) {
    if (word == name) return 1;
    if (word.starts_with(name + "=")) return std::stoull(word.substr(name.size() + 1));
  }
  return 0;
}

Return count_failure(Return code) {
  ++failures;
  return code;
}

/// What every call does first.
Return begin() {
  ++calls;
  if (const std::uint64_t ms = says("slow")) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  if (says("errors-after") != 0 && calls >= says("errors-after")) return count_failure(kUnknown);
  return Return::success;
}

std::uint32_t number_of(Device device) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}
bool is_second(Device device) { return number_of(device) == 1; }

Return begin(Device device) {
  if (const Return code = begin(); code != Return::success) return code;
  if (is_second(device) && says("lost") != 0) return count_failure(Return::gpu_is_lost);
  if (is_second(device) && says("no-permission") != 0) return count_failure(kNoPermission);
  return Return::success;
}

/// Sets a value where the call succeeds.
template <class Value>
Return answer(Device device, Value* into, Value value) {
  const Return code = begin(device);
  if (code == Return::success) *into = value;
  return code;
}

}  // namespace

extern "C" {

void mock_nvml_say(const char* words) {
  const std::scoped_lock hold(mutex);
  told = words;
}
void mock_nvml_xid(std::uint64_t xid) {
  const std::scoped_lock hold(mutex);
  xids.push_back(xid);
}
void mock_nvml_reset() {
  calls = failures = replays = grown = 0;
  const std::scoped_lock hold(mutex);
  xids.clear();
}
std::uint64_t mock_nvml_calls() { return calls; }
std::uint64_t mock_nvml_failures() { return failures; }

Return nvmlInit_v2() {
  if (says("no-driver") != 0) return count_failure(kDriverNotLoaded);
  return begin();
}
Return nvmlShutdown() { return Return::success; }
const char* nvmlErrorString(Return code) {
  if (code == kDriverNotLoaded) return "Driver Not Loaded";
  if (code == kNoPermission) return "Insufficient Permissions";
  if (code == Return::gpu_is_lost) return "GPU is lost";
  return code == Return::not_supported ? "Not Supported" : "Unknown Error";
}
Return nvmlSystemGetDriverVersion(char* text, std::uint32_t size) {
  std::snprintf(text, size, "580.65.06");
  return begin();
}
Return nvmlDeviceGetCount_v2(std::uint32_t* count) {
  *count = says("no-gpu") != 0 ? 0 : 2;
  return begin();
}
Return nvmlDeviceGetHandleByIndex_v2(std::uint32_t index, Device* device) {
  *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(index) + 1);
  return begin(*device);
}
Return nvmlDeviceGetName(Device device, char* text, std::uint32_t size) {
  std::snprintf(text, size, "NVIDIA H100 80GB HBM3");
  return begin(device);
}
Return nvmlDeviceGetUUID(Device device, char* text, std::uint32_t size) {
  std::snprintf(text, size, "GPU-%u", number_of(device));
  return begin(device);
}
Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  std::snprintf(info->bus_id, sizeof info->bus_id, "00000000:0%u:00.0", number_of(device));
  return begin(device);
}
Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return answer(device, memory,
                Memory{std::uint64_t{80} << 30U, std::uint64_t{60} << 30U, std::uint64_t{20} << 30U});
}
Return nvmlDeviceGetTotalEccErrors(Device device, std::uint32_t kind, std::uint32_t, std::uint64_t* count) {
  if (!is_second(device) || kind != kUncorrected) return answer(device, count, std::uint64_t{0});
  return answer(device, count, (grown += says("ecc-grows")) + says("ecc"));
}
Return nvmlDeviceGetEccMode(Device device, std::uint32_t* now, std::uint32_t* after_reset) {
  *after_reset = 1;
  return answer(device, now, std::uint32_t{is_second(device) && says("ecc-off") != 0 ? 0U : 1U});
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, std::uint64_t* reasons) {
  constexpr std::uint64_t kIdle = 0x1;
  return answer(device, reasons,
                kIdle | (is_second(device) && says("hot") != 0 ? kHardwareSlowdown | kHardwareThermal : 0));
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, std::uint32_t* value) {
  return answer(device, value, 1U);
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, std::uint32_t* value) {
  return answer(device, value, 5U);
}
Return nvmlDeviceGetCurrPcieLinkWidth(Device device, std::uint32_t* value) {
  return answer(device, value, is_second(device) && says("narrow") != 0 ? 8U : 16U);
}
Return nvmlDeviceGetMaxPcieLinkWidth(Device device, std::uint32_t* value) {
  return answer(device, value, 16U);
}
Return nvmlDeviceGetPcieReplayCounter(Device device, std::uint32_t* value) {
  if (is_second(device)) replays += says("replays");
  return answer(device, value, is_second(device) ? static_cast<std::uint32_t>(replays.load()) : 0U);
}
Return nvmlDeviceGetNvLinkState(Device device, std::uint32_t link, std::uint32_t* active) {
  if (says("no-nvlink") != 0) return Return::not_supported;
  if (link >= kLinks) return Return::invalid_argument;
  return answer(device, active, is_second(device) && link < says("links-down") ? 0U : 1U);
}
Return nvmlDeviceGetNvLinkErrorCounter(Device device, std::uint32_t link, std::uint32_t,
                                       std::uint64_t* count) {
  if (says("no-nvlink") != 0) return Return::not_supported;
  if (link >= kLinks) return Return::invalid_argument;
  if (is_second(device)) replays += says("link-errors");
  return answer(device, count, is_second(device) ? replays.load() : std::uint64_t{0});
}
Return nvmlDeviceGetTemperature(Device device, std::uint32_t, std::uint32_t* value) {
  return answer(device, value, is_second(device) ? 63U : 41U);
}
Return nvmlDeviceGetPowerUsage(Device device, std::uint32_t* value) {
  return answer(device, value, 350'900U);
}
Return nvmlDeviceGetClockInfo(Device device, std::uint32_t, std::uint32_t* value) {
  return answer(device, value, 1755U);
}
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* value) {
  return answer(device, value, Utilization{is_second(device) ? 100U : 50U, 10});
}
#ifndef MOCK_NVML_OLD
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, std::uint32_t* count, void*) {
  const bool room = *count > 0;
  const Return code = answer(device, count, 1U);
  return code == Return::success && !room ? Return::insufficient_size : code;
}
Return nvmlDeviceGetFieldValues(Device device, std::int32_t count, FieldValue* values) {
  for (std::int32_t i = 0; i < count; ++i) {
    values[i].value = 1000 * values[i].field;
    values[i].code = is_second(device) ? Return::not_supported : Return::success;
  }
  return begin(device);
}
Return nvmlEventSetCreate(EventSet* set) {
  const Return code = begin();
  if (code == Return::success) *set = new Device();  // which it is registered for
  return code;
}
Return nvmlEventSetFree(EventSet set) { return delete static_cast<Device*>(set), Return::success; }
Return nvmlDeviceRegisterEvents(Device device, std::uint64_t, EventSet set) {
  *static_cast<Device*>(set) = device;
  return begin(device);
}
/// Of the second GPU.
Return nvmlEventSetWait_v2(EventSet set, Event* event, std::uint32_t) {
  if (const Return code = begin(); code != Return::success) return code;
  const Device device = *static_cast<Device*>(set);
  const std::scoped_lock hold(mutex);
  if (!is_second(device) || xids.empty()) return Return::timeout;
  *event = {
      .device = device, .type = kXidEvent, .data = xids.front(), .gpu_instance = 0, .compute_instance = 0};
  xids.pop_front();
  return Return::success;
}
Return nvmlDeviceGetMigMode(Device device, std::uint32_t* now, std::uint32_t* after_reset) {
  *after_reset = 0;
  return answer(device, now, is_second(device) && says("mig") != 0 ? 1U : 0U);
}
Return nvmlDeviceGetRemappedRows(Device device, std::uint32_t* corrected, std::uint32_t* uncorrected,
                                 std::uint32_t* pending, std::uint32_t* failed) {
  *corrected = 0;
  *uncorrected = is_second(device) ? 2 : 0;
  *failed = is_second(device) && says("remap-failed") != 0 ? 1 : 0;
  return answer(device, pending, is_second(device) && says("remap") != 0 ? 1U : 0U);
}
#endif

}  // extern "C"
