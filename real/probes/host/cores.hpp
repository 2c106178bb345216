// The cores of a machine that this process may run on, with their sockets and memory nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// A physical core, by the first of its hardware threads that may be used.
struct MachineCore {
  int cpu = 0;
  int socket = 0;
  int node = 0;          // of memory
  std::string capacity;  // cores of unlike capacity are not compared; empty: the kernel does not say
};

/// `allowed`: hardware threads (CPUs). What the kernel does not say is 0.
std::vector<MachineCore> cores_of(const std::string& root, const std::vector<int>& allowed);
/// Those that the scheduler lets this thread run on, in ascending order.
std::vector<int> allowed_cpus();
/// False where the kernel refuses.
bool pin_this_thread(int cpu);

/// The last-level caches of the cores together, each cache once, in bytes; 0: the kernel does not say.
std::uint64_t last_level_caches(const std::string& root, const std::vector<MachineCore>& cores);

}  // namespace gauntlet
