#include "real/probes/host/gpu_probes.hpp"

#include "real/nvml/library.hpp"
#include "real/probes/host/counters.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gauntlet {
namespace {

using nvml::Library;
using nvml::Trouble;

/// One GPU of an open library.
struct Gpu {
  const Library& library;
  const nvml::Table& functions;
  nvml::Device device;

  /// What the function says of this GPU.
  template <class... Parameters, class... Arguments>
  Trouble ask(const char* name, nvml::Call<nvml::Device, Parameters...> function,
              Arguments... arguments) const {
    return library.ask(name, function, device, arguments...);
  }
};

std::string name_of_gpu(std::uint32_t index) { return fmt::format("GPU {}", index); }

/// `look`: what a GPU says, into a part that has one value, zero; or why it does not.
template <class Look>
ProbeSample of_gpus(const ProbedHost& host, const Look& look) {
  const Library library(host.nvml);
  if (!library.why_not().empty()) return unsupported_sample(library.why_not());
  std::uint32_t count = 0;
  if (const Trouble trouble = library.count(count)) return unsupported_sample(trouble.why);
  if (count == 0) return unsupported_sample("the driver has no GPU");
  ProbeSample sample;
  std::string left_out;
  for (std::uint32_t i = 0; i < count; ++i) {
    PartSample part{.part = name_of_gpu(i), .kind = "", .values = {0}, .remark = ""};
    nvml::Device device = nullptr;
    Trouble trouble = library.device(i, device);
    if (!trouble) trouble = look(Gpu{library, library.functions(), device}, part, sample);
    if (trouble.lost())
      sample.errors.push_back(part.part + ": " + trouble.why);
    else if (trouble)
      left_out += fmt::format("{}{}: {}", left_out.empty() ? "" : "; ", part.part, trouble.why);
    else
      sample.parts.push_back(std::move(part));
  }
  if (sample.parts.empty() && sample.errors.empty()) return unsupported_sample(left_out);
  sample.inconclusive = left_out;
  return sample;
}

template <class Function>
std::string text_of(const Gpu& gpu, const char* name, Function function) {
  std::array<char, 97> text{};
  if (gpu.ask(name, function, text.data(), static_cast<std::uint32_t>(text.size() - 1))) return {};
  return text.data();
}

/// The errors of a GPU that count for ever, and the sum of them for all its links.
Trouble add_link_errors(const Gpu& gpu, std::uint64_t& sum) {
  for (std::uint32_t link = 0; link < nvml::kMostLinks; ++link) {
    for (std::uint32_t kind = 0; kind < nvml::kLinkErrorKinds; ++kind) {
      std::uint64_t errors = 0;
      const Trouble trouble =
          gpu.ask("nvmlDeviceGetNvLinkErrorCounter", gpu.functions.link_errors, link, kind, &errors);
      if (trouble.absent() && (link > 0 || kind > 0)) break;  // there are no more of them
      if (trouble) return trouble;
      sum += errors;
    }
  }
  return {};
}

Trouble add_replays(const Gpu& gpu, std::uint64_t& sum) {
  std::uint32_t replays = 0;
  const Trouble trouble = gpu.ask("nvmlDeviceGetPcieReplayCounter", gpu.functions.pcie_replays, &replays);
  sum += replays;
  return trouble;
}

/// By how much a counter of each GPU grew. `add` adds what a GPU has counted.
template <class Add>
ProbeSample growth_of_gpus(const ProbedHost& host, const std::string& counter, const Add& add) {
  const auto look = [&](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint64_t sum = 0;
    const Trouble trouble = add(gpu, sum);
    part.values = {static_cast<double>(sum)};
    return trouble;
  };
  const ProbeSample first = of_gpus(host, look);
  if (first.parts.empty()) return first;
  ProbeSample last;
  const auto read = [&] {
    Counters counters;
    last = of_gpus(host, look);
    for (const PartSample& part : last.parts)
      counters[part.part + " " + counter] = static_cast<std::uint64_t>(part.values.front());
    return counters;
  };
  ProbeSample sample = sample_of_growth(
      host, read, [&](const std::string& name) { return name.substr(0, name.size() - counter.size() - 1); });
  if (!last.unsupported.empty()) return last;
  sample.errors = last.errors;
  sample.inconclusive = last.inconclusive;
  if (sample.inconclusive.empty() && sample.parts.size() < last.parts.size())
    sample.inconclusive = "a GPU answered at the last look and not at the one before";
  return sample;
}

}  // namespace

ProbeSample probe_gpu_inventory(const ProbedHost& host) {
  ProbeSample sample = of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample& all) {
    const auto fact = [&](const char* name, const std::string& value) {
      if (!value.empty()) all.facts.emplace_back(part.part + " " + name, value);
    };
    nvml::Memory memory{};
    if (const Trouble trouble = gpu.ask("nvmlDeviceGetMemoryInfo", gpu.functions.memory, &memory))
      return trouble;
    fact("model", text_of(gpu, "nvmlDeviceGetName", gpu.functions.name));
    fact("UUID", text_of(gpu, "nvmlDeviceGetUUID", gpu.functions.uuid));
    nvml::PciInfo pci{};
    if (!gpu.ask("nvmlDeviceGetPciInfo_v3", gpu.functions.pci, &pci)) fact("PCI address", pci.bus_id);
    fact("memory", fmt::format("{} MiB", memory.total >> 20U));
    std::uint32_t partitioned = 0, after_reset = 0;
    if (!gpu.ask("nvmlDeviceGetMigMode", gpu.functions.mig_mode, &partitioned, &after_reset))
      fact("MIG", partitioned != 0 ? "on" : "off");
    return Trouble{};
  });
  if (!sample.unsupported.empty()) return sample;
  const auto there = static_cast<double>(sample.parts.size());
  sample.parts = {{.part = "", .kind = "", .values = {there}, .remark = sample.inconclusive}};
  if (const std::string version = Library(host.nvml).driver_version(); !version.empty())
    sample.facts.emplace_back("driver", version);
  return sample;
}

ProbeSample probe_gpu_ecc(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint32_t on = 0, after_reset = 0;
    if (const Trouble trouble = gpu.ask("nvmlDeviceGetEccMode", gpu.functions.ecc_mode, &on, &after_reset))
      return trouble;
    if (on == 0) return Trouble{.why = "error correction is off"};
    const auto errors = [&](std::uint32_t kind, std::uint64_t& count) {
      return gpu.ask("nvmlDeviceGetTotalEccErrors", gpu.functions.ecc_errors, kind, nvml::kSinceDriverLoad,
                     &count);
    };
    std::uint64_t corrected = 0, uncorrected = 0;
    if (const Trouble trouble = errors(nvml::kUncorrected, uncorrected)) return trouble;
    if (const Trouble trouble = errors(nvml::kCorrected, corrected)) return trouble;
    part.values = {static_cast<double>(uncorrected)};
    part.remark =
        fmt::format("{} uncorrected and {} corrected since the driver was loaded", uncorrected, corrected);
    return Trouble{};
  });
}

ProbeSample probe_gpu_row_remaps(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint32_t corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (const Trouble trouble = gpu.ask("nvmlDeviceGetRemappedRows", gpu.functions.remapped_rows, &corrected,
                                        &uncorrected, &pending, &failed))
      return trouble;
    part.values = {(pending != 0 ? 1.0 : 0.0) + (failed != 0 ? 1.0 : 0.0)};
    part.remark = fmt::format("{} rows are remapped{}{}", corrected + uncorrected,
                              pending != 0 ? ", a remap waits for a reset of the GPU" : "",
                              failed != 0 ? ", a remap failed: the GPU has to be replaced" : "");
    return Trouble{};
  });
}

ProbeSample probe_gpu_throttle(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kReasons = {
        {{nvml::kHardwareSlowdown, "hardware slowdown"},
         {nvml::kSoftwareThermal, "temperature, by the driver"},
         {nvml::kHardwareThermal, "temperature, by the hardware"},
         {nvml::kPowerBrake, "power brake"}}};
    std::uint64_t reasons = 0;
    if (const Trouble trouble =
            gpu.ask("nvmlDeviceGetCurrentClocksThrottleReasons", gpu.functions.throttle_reasons, &reasons))
      return trouble;
    for (const auto& [bit, words] : kReasons) {
      if ((reasons & bit) == 0) continue;
      part.values[0] += 1;
      part.remark += (part.remark.empty() ? "slowed down: " : ", ") + std::string(words);
    }
    return Trouble{};
  });
}

ProbeSample probe_gpu_pcie(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint32_t width = 0, width_max = 0, generation = 0, generation_max = 0;
    if (const Trouble trouble = gpu.ask("nvmlDeviceGetCurrPcieLinkWidth", gpu.functions.pcie_width, &width))
      return trouble;
    if (const Trouble trouble =
            gpu.ask("nvmlDeviceGetMaxPcieLinkWidth", gpu.functions.pcie_width_max, &width_max))
      return trouble;
    if (width_max == 0) return Trouble{.why = "it has no link of PCI Express"};
    part.values = {100.0 * width / width_max};
    part.remark = fmt::format("{} of {} lanes", width, width_max);
    // A GPU at rest lowers the generation of its link, and says nothing with it.
    const bool known =
        !gpu.ask("nvmlDeviceGetCurrPcieLinkGeneration", gpu.functions.pcie_generation, &generation) &&
        !gpu.ask("nvmlDeviceGetMaxPcieLinkGeneration", gpu.functions.pcie_generation_max, &generation_max);
    if (known) part.remark += fmt::format(", generation {} of {}", generation, generation_max);
    return Trouble{};
  });
}

ProbeSample probe_gpu_pcie_replays(const ProbedHost& host) {
  return growth_of_gpus(host, "PCIe replays", add_replays);
}

ProbeSample probe_gpu_nvlink(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::string inactive;
    for (std::uint32_t link = 0; link < nvml::kMostLinks; ++link) {
      std::uint32_t active = 0;
      const Trouble trouble = gpu.ask("nvmlDeviceGetNvLinkState", gpu.functions.link_state, link, &active);
      if (trouble.absent() && link > 0) break;  // there are no more
      if (trouble) return trouble;
      if (active != 0)
        part.values[0] += 1;
      else
        inactive += fmt::format("{}{}", inactive.empty() ? "inactive: " : ", ", link);
    }
    part.remark = inactive;
    return Trouble{};
  });
}

ProbeSample probe_gpu_nvlink_errors(const ProbedHost& host) {
  return growth_of_gpus(host, "NVLink errors", add_link_errors);
}

}  // namespace gauntlet
