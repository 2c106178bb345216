#include "real/probes/host/cores.hpp"

#include "real/probes/host/machine_files.hpp"

#include <sched.h>

#include <algorithm>
#include <map>
#include <memory>

namespace gauntlet {
namespace {

// As many as Linux can be built for (CONFIG_NR_CPUS of x86-64 is at most 8192).
constexpr std::size_t kMostCpus = 8192;

struct CpuSetDeleter {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, CpuSetDeleter>;

std::string folder_of(const std::string& root, int cpu) {
  return root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
}

std::map<int, int> nodes_by_cpu(const std::string& root) {
  std::map<int, int> out;
  const std::string folder = root + "/sys/devices/system/node/";
  for (const int node : listed_numbers(first_line(folder + "online").value_or("")))
    for (const int cpu :
         listed_numbers(first_line(folder + "node" + std::to_string(node) + "/cpulist").value_or("")))
      out[cpu] = node;
  return out;
}

}  // namespace

std::vector<MachineCore> cores_of(const std::string& root, const std::vector<int>& allowed) {
  const std::map<int, int> nodes = nodes_by_cpu(root);
  std::vector<MachineCore> out;
  for (const int cpu : allowed) {
    const std::string folder = folder_of(root, cpu);
    const std::vector<int> siblings =
        listed_numbers(first_line(folder + "/topology/thread_siblings_list").value_or(""));
    const bool has_earlier = std::any_of(siblings.begin(), siblings.end(), [&](int sibling) {
      return sibling < cpu && std::find(allowed.begin(), allowed.end(), sibling) != allowed.end();
    });
    if (has_earlier) continue;
    const auto node = nodes.find(cpu);
    out.push_back(
        {.cpu = cpu,
         .socket = static_cast<int>(whole_number_in(folder + "/topology/physical_package_id").value_or(0)),
         .node = node == nodes.end() ? 0 : node->second,
         .capacity = first_line(folder + "/cpu_capacity").value_or("")});
  }
  return out;
}

std::vector<int> allowed_cpus() {
  const CpuSet set(CPU_ALLOC(kMostCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  std::vector<int> out;
  if (set == nullptr || ::sched_getaffinity(0, bytes, set.get()) != 0) return out;
  for (std::size_t cpu = 0; cpu < kMostCpus; ++cpu)
    if (CPU_ISSET_S(cpu, bytes, set.get())) out.push_back(static_cast<int>(cpu));
  return out;
}

bool pin_this_thread(int cpu) {
  const CpuSet set(CPU_ALLOC(kMostCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  if (set == nullptr) return false;
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
  return ::sched_setaffinity(0, bytes, set.get()) == 0;
}

std::uint64_t last_level_caches(const std::string& root, const std::vector<MachineCore>& cores) {
  std::map<std::string, std::uint64_t> sizes;  // by the CPUs that share a cache
  for (const MachineCore& core : cores) {
    std::string folder;  // of the highest level
    std::int64_t highest = 0;
    for (int index = 0;; ++index) {
      const std::string each = folder_of(root, core.cpu) + "/cache/index" + std::to_string(index);
      const auto level = whole_number_in(each + "/level");
      if (!level) break;
      if (*level > highest) {
        highest = *level;
        folder = each;
      }
    }
    if (folder.empty()) continue;
    sizes[first_line(folder + "/shared_cpu_list").value_or(std::to_string(core.cpu))] =
        size_of_text(first_line(folder + "/size").value_or("")).value_or(0);
  }
  std::uint64_t sum = 0;
  for (const auto& [shared, size] : sizes) sum += size;
  return sum;
}

}  // namespace gauntlet
