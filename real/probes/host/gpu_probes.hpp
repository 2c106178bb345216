// What a driver knows of its GPUs: no GPU is loaded, and none is reset.
#pragma once

#include "real/probes/host/probe.hpp"
#include "real/probes/sample.hpp"

namespace gauntlet {

// All are unsupported where no GPU can be asked, and where none of them answers. A GPU that has fallen off its bus fails. Where some GPUs
// answer and others do not, the probe is inconclusive, unless those that answer are bad.

/// GPUs that answer; their models, memory and partitions are facts.
ProbeSample probe_gpu_inventory(const ProbedHost& host);
/// Uncorrected memory errors of each since the driver was loaded.
ProbeSample probe_gpu_ecc(const ProbedHost& host);
/// Remaps of memory rows that wait for a reset, or failed.
ProbeSample probe_gpu_row_remaps(const ProbedHost& host);
/// Reasons for which the hardware slows a GPU down at this moment.
ProbeSample probe_gpu_throttle(const ProbedHost& host);
/// Lanes of PCI Express, in percent of those that GPU and slot could have.
ProbeSample probe_gpu_pcie(const ProbedHost& host);
/// Packets that PCI Express sent again, since the last look.
ProbeSample probe_gpu_pcie_replays(const ProbedHost& host);
/// Links of NVLink that are active.
ProbeSample probe_gpu_nvlink(const ProbedHost& host);
/// Errors of all links of a GPU, since the last look.
ProbeSample probe_gpu_nvlink_errors(const ProbedHost& host);

}  // namespace gauntlet
