#include "real/probes/host/configuration.hpp"
#include "real/probes/host/cpu_probes.hpp"
#include "real/probes/host/disk_probes.hpp"
#include "real/probes/host/gpu_probes.hpp"
#include "real/probes/host/host_check.hpp"
#include "real/probes/host/kernel_probes.hpp"
#include "real/probes/host/memory_probes.hpp"
#include "real/probes/host/probe.hpp"
#include "real/probes/host/tcp_probes.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

const std::array kOwnProbes = {
    OwnProbe{"host_check",
             "whether memory, a file and a process do what every job needs",
             {"", Better::higher},
             probe_host_check},
    OwnProbe{"cpu_cores", "how fast each core computes", {"Mstep/s", Better::higher}, probe_cpu_cores},
    OwnProbe{"cpu_sockets",
             "how fast the cores of a socket compute together",
             {"Mstep/s", Better::higher},
             probe_cpu_sockets},
    OwnProbe{"memory_bandwidth",
             "how fast the cores of a memory node copy its memory",
             {"GB/s", Better::higher},
             probe_memory_bandwidth},
    OwnProbe{"memory_patterns",
             "whether memory holds what is written to it",
             {"wrong words", Better::lower},
             probe_memory_patterns},
    OwnProbe{"memory_stress",
             "the same in up to 4 GiB of each memory node",
             {"wrong words", Better::lower},
             probe_memory_stress},
    OwnProbe{
        "disk_space", "free space of the directory's file system", {"%", Better::higher}, probe_disk_space},
    OwnProbe{"disk_inodes",
             "free inodes of the directory's file system",
             {"%", Better::higher},
             probe_disk_inodes},
    OwnProbe{"disk_write",
             "how fast a file is written and made durable",
             {"MB/s", Better::higher},
             probe_disk_write},
    OwnProbe{"disk_read",
             "how fast a file is read back, and whether it is the same",
             {"MB/s", Better::higher},
             probe_disk_read},
    OwnProbe{
        "disk_fsync", "how long fsync takes, the 99th percentile", {"ms", Better::lower}, probe_disk_fsync},
    OwnProbe{"link_errors",
             "errors and carrier changes of network interfaces since the last look",
             {"errors", Better::lower},
             probe_link_errors},
    OwnProbe{"link_drops",
             "packets that network interfaces dropped since the last look",
             {"packets", Better::lower},
             probe_link_drops},
    OwnProbe{"tcp_bandwidth",
             "payload of TCP to and from each neighbour",
             {"Gbit/s", Better::higher},
             probe_tcp_bandwidth,
             true},
    OwnProbe{"tcp_latency",
             "round trips to each neighbour, the 99th percentile",
             {"ms", Better::lower},
             probe_tcp_latency,
             true},
    OwnProbe{"tcp_loss",
             "segments sent again in a hundred round trips to each neighbour",
             {"%", Better::lower},
             probe_tcp_loss,
             true},
    OwnProbe{"clock",
             "the most that the clock may be wrong by, as the kernel knows it",
             {"ms", Better::lower},
             probe_clock},
    OwnProbe{"compaction",
             "allocations that waited for free memory to be made contiguous",
             {"stalls", Better::lower},
             probe_compaction},
    OwnProbe{"kernel_log",
             "lines of the kernel's log about broken hardware and hung tasks",
             {"lines", Better::lower},
             probe_kernel_log},
    OwnProbe{"configuration",
             "settings and versions that differ from those of most peers",
             {"settings", Better::lower},
             probe_configuration},
    OwnProbe{"gpu_inventory", "GPUs that answer the driver", {"GPUs", Better::higher}, probe_gpu_inventory},
    OwnProbe{"gpu_ecc",
             "memory errors of each GPU that were not corrected, since the driver was loaded",
             {"errors", Better::lower},
             probe_gpu_ecc},
    OwnProbe{"gpu_row_remaps",
             "remaps of memory rows that wait for a reset of the GPU, or failed",
             {"remaps", Better::lower},
             probe_gpu_row_remaps},
    OwnProbe{"gpu_throttle",
             "reasons for which a GPU protects itself by a lower clock at this moment",
             {"reasons", Better::lower},
             probe_gpu_throttle},
    OwnProbe{"gpu_pcie",
             "lanes of PCI Express, of those that GPU and slot could have",
             {"%", Better::higher},
             probe_gpu_pcie},
    OwnProbe{"gpu_pcie_replays",
             "packets that PCI Express sent again since the last look",
             {"packets", Better::lower},
             probe_gpu_pcie_replays},
    OwnProbe{"gpu_nvlink", "active links of NVLink", {"links", Better::higher}, probe_gpu_nvlink},
    OwnProbe{"gpu_nvlink_errors",
             "errors of NVLink since the last look",
             {"errors", Better::lower},
             probe_gpu_nvlink_errors},
};

}  // namespace

std::span<const OwnProbe> own_probes() { return kOwnProbes; }

const OwnProbe* own_probe(std::string_view name) {
  const auto found = std::find_if(kOwnProbes.begin(), kOwnProbes.end(),
                                  [&](const OwnProbe& probe) { return probe.name == name; });
  return found == kOwnProbes.end() ? nullptr : &*found;
}

}  // namespace gauntlet
