#include "real/probes/host/gpu_probes.hpp"

#include "real/nvml/gpu.hpp"
#include "real/probes/host/counters.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

namespace gauntlet {
namespace {

using nvml::Gpu;
using nvml::Library;
using nvml::Trouble;

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
    Trouble trouble;
    const Gpu gpu(library, i, trouble);
    if (!trouble) trouble = look(gpu, part, sample);
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

using CountOfGpu = Trouble (Gpu::*)(std::uint64_t&) const;

/// By how much a counter of each GPU grew.
ProbeSample growth_of_gpus(const ProbedHost& host, const std::string& counter, CountOfGpu count) {
  const auto look = [&](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint64_t sum = 0;
    const Trouble trouble = (gpu.*count)(sum);
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
    if (const Trouble trouble = gpu.ask("nvmlDeviceGetMemoryInfo", gpu.functions().memory, &memory))
      return trouble;
    fact("model", text_of(gpu, "nvmlDeviceGetName", gpu.functions().name));
    fact("UUID", text_of(gpu, "nvmlDeviceGetUUID", gpu.functions().uuid));
    nvml::PciInfo pci{};
    if (!gpu.pci(pci)) fact("PCI address", pci.bus_id);
    fact("memory", fmt::format("{} MiB", memory.total >> 20U));
    std::uint32_t partitioned = 0, after_reset = 0;
    if (!gpu.ask("nvmlDeviceGetMigMode", gpu.functions().mig_mode, &partitioned, &after_reset))
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
    nvml::EccErrors errors;
    const Trouble trouble = gpu.ecc_errors(errors);
    part.values = {static_cast<double>(errors.uncorrected)};
    part.remark = fmt::format("{} uncorrected and {} corrected since the driver was loaded",
                              errors.uncorrected, errors.corrected);
    return trouble;
  });
}

ProbeSample probe_gpu_row_remaps(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    nvml::RowRemaps remaps;
    const Trouble trouble = gpu.row_remaps(remaps);
    part.values = {(remaps.pending ? 1.0 : 0.0) + (remaps.failed ? 1.0 : 0.0)};
    part.remark = fmt::format("{} rows are remapped{}{}", remaps.rows,
                              remaps.pending ? ", a remap waits for a reset of the GPU" : "",
                              remaps.failed ? ", a remap failed: the GPU has to be replaced" : "");
    return trouble;
  });
}

ProbeSample probe_gpu_throttle(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    std::uint64_t reasons = 0;
    const Trouble trouble = gpu.slowdown(reasons);
    part.values = {static_cast<double>(std::popcount(reasons))};
    if (reasons != 0) part.remark = "slowed down: " + nvml::words_of_slowdown(reasons);
    return trouble;
  });
}

ProbeSample probe_gpu_pcie(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    nvml::PcieWidth lanes;
    std::uint32_t generation = 0, generation_max = 0;
    if (const Trouble trouble = gpu.pcie_width(lanes)) return trouble;
    part.values = {100.0 * lanes.now / lanes.most};
    part.remark = fmt::format("{} of {} lanes", lanes.now, lanes.most);
    // A GPU at rest lowers the generation of its link, and says nothing with it.
    const bool known =
        !gpu.ask("nvmlDeviceGetCurrPcieLinkGeneration", gpu.functions().pcie_generation, &generation) &&
        !gpu.ask("nvmlDeviceGetMaxPcieLinkGeneration", gpu.functions().pcie_generation_max, &generation_max);
    if (known) part.remark += fmt::format(", generation {} of {}", generation, generation_max);
    return Trouble{};
  });
}

ProbeSample probe_gpu_pcie_replays(const ProbedHost& host) {
  return growth_of_gpus(host, "PCIe replays", &Gpu::pcie_replays);
}

ProbeSample probe_gpu_nvlink(const ProbedHost& host) {
  return of_gpus(host, [](const Gpu& gpu, PartSample& part, ProbeSample&) {
    nvml::NvLinks links;
    const Trouble trouble = gpu.links(links);
    part.values = {static_cast<double>(links.active)};
    if (!links.inactive.empty()) part.remark = "inactive: " + nvml::numbers_text(links.inactive);
    return trouble;
  });
}

ProbeSample probe_gpu_nvlink_errors(const ProbedHost& host) {
  return growth_of_gpus(host, "NVLink errors", &Gpu::link_errors);
}

}  // namespace gauntlet
