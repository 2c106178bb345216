#include "real/nvml/gpu.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <utility>

namespace gauntlet::nvml {
namespace {

constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kReasons = {
    {{kHardwareSlowdown, "hardware slowdown"},
     {kSoftwareThermal, "temperature, by the driver"},
     {kHardwareThermal, "temperature, by the hardware"},
     {kPowerBrake, "power brake"}}};

}  // namespace

Trouble Gpu::pci(PciInfo& into) const { return ask("nvmlDeviceGetPciInfo_v3", functions_.pci, &into); }

Trouble Gpu::ecc_errors(EccErrors& into) const {
  std::uint32_t on = 0, after_reset = 0;
  if (const Trouble trouble = ask("nvmlDeviceGetEccMode", functions_.ecc_mode, &on, &after_reset))
    return trouble;
  if (on == 0) return Trouble{.why = "error correction is off"};
  const auto errors = [&](std::uint32_t kind, std::uint64_t& count) {
    return ask("nvmlDeviceGetTotalEccErrors", functions_.ecc_errors, kind, kSinceDriverLoad, &count);
  };
  if (const Trouble trouble = errors(kUncorrected, into.uncorrected)) return trouble;
  return errors(kCorrected, into.corrected);
}

Trouble Gpu::row_remaps(RowRemaps& into) const {
  std::uint32_t corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  const Trouble trouble =
      ask("nvmlDeviceGetRemappedRows", functions_.remapped_rows, &corrected, &uncorrected, &pending, &failed);
  into = {.rows = corrected + uncorrected, .pending = pending != 0, .failed = failed != 0};
  return trouble;
}

Trouble Gpu::slowdown(std::uint64_t& reasons) const {
  const Trouble trouble =
      ask("nvmlDeviceGetCurrentClocksThrottleReasons", functions_.throttle_reasons, &reasons);
  std::uint64_t protecting = 0;
  for (const auto& [bit, words] : kReasons) protecting |= bit;
  reasons &= protecting;
  return trouble;
}

Trouble Gpu::pcie_width(PcieWidth& into) const {
  if (const Trouble trouble = ask("nvmlDeviceGetCurrPcieLinkWidth", functions_.pcie_width, &into.now))
    return trouble;
  if (const Trouble trouble = ask("nvmlDeviceGetMaxPcieLinkWidth", functions_.pcie_width_max, &into.most))
    return trouble;
  return into.most == 0 ? Trouble{.why = "it has no link of PCI Express"} : Trouble{};
}

Trouble Gpu::pcie_replays(std::uint64_t& count) const {
  std::uint32_t replays = 0;
  const Trouble trouble = ask("nvmlDeviceGetPcieReplayCounter", functions_.pcie_replays, &replays);
  count = replays;
  return trouble;
}

Trouble Gpu::links(NvLinks& into) const {
  for (std::uint32_t link = 0; link < kMostLinks; ++link) {
    std::uint32_t active = 0;
    const Trouble trouble = ask("nvmlDeviceGetNvLinkState", functions_.link_state, link, &active);
    if (trouble.absent() && link > 0) break;  // there are no more
    if (trouble) return trouble;
    if (active != 0)
      ++into.active;
    else
      into.inactive.push_back(link);
  }
  return {};
}

Trouble Gpu::link_errors(std::uint64_t& count) const {
  for (std::uint32_t link = 0; link < kMostLinks; ++link) {
    for (std::uint32_t kind = 0; kind < kLinkErrorKinds; ++kind) {
      std::uint64_t errors = 0;
      const Trouble trouble =
          ask("nvmlDeviceGetNvLinkErrorCounter", functions_.link_errors, link, kind, &errors);
      if (trouble.absent() && (link > 0 || kind > 0)) break;  // there are no more of them
      if (trouble) return trouble;
      count += errors;
    }
  }
  return {};
}

Trouble Gpu::load(Load& into) const {
  Trouble lost;
  const auto answered = [&](const Trouble& trouble) {
    if (trouble.lost()) lost = trouble;
    return !trouble;
  };
  answered(ask("nvmlDeviceGetTemperature", functions_.temperature, kTemperatureOfGpu, &into.celsius));
  answered(ask("nvmlDeviceGetPowerUsage", functions_.power, &into.milliwatts));
  answered(ask("nvmlDeviceGetClockInfo", functions_.clock, kClockOfMultiprocessors, &into.megahertz));
  Utilization used{};
  if (answered(ask("nvmlDeviceGetUtilizationRates", functions_.utilization, &used))) into.percent = used.gpu;
  Memory memory{};
  if (answered(ask("nvmlDeviceGetMemoryInfo", functions_.memory, &memory))) into.memory_bytes = memory.used;
  // Without room for any it says how many there are. The size of an entry differs between drivers.
  std::uint32_t count = 0;
  const Trouble no_room =
      ask("nvmlDeviceGetComputeRunningProcesses_v3", functions_.processes, &count, nullptr);
  if (answered(no_room) || no_room.code == Return::insufficient_size) into.processes = count;
  std::array<FieldValue, 2> sent_and_received{};
  sent_and_received[0].field = kLinkKibSent;
  sent_and_received[1].field = kLinkKibReceived;
  for (FieldValue& each : sent_and_received)
    each.scope = std::numeric_limits<std::uint32_t>::max();  // all links
  constexpr std::uint64_t kKibi = 1024;
  if (answered(ask("nvmlDeviceGetFieldValues", functions_.field_values,
                   static_cast<std::int32_t>(sent_and_received.size()), sent_and_received.data())))
    for (const FieldValue& each : sent_and_received)
      if (each.code == Return::success) into.link_bytes += kKibi * each.value;
  return lost;
}

std::string words_of_slowdown(std::uint64_t reasons) {
  std::string text;
  for (const auto& [bit, words] : kReasons)
    if ((reasons & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  return text;
}

std::string numbers_text(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t each : numbers) text += (text.empty() ? "" : ", ") + std::to_string(each);
  return text;
}

}  // namespace gauntlet::nvml
