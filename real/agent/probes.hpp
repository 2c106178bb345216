// What a host can be examined with, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

struct ProbeResult {
  bool faulty = false;
  double value = 0;  // what it measured
  std::string why;   // when faulty
};

struct HostProbe {
  std::string_view name;
  /// May take long on a sick host. `directory` takes its files; `number` tells probes that run at one time apart.
  ProbeResult (*run)(const std::string& directory, std::uint64_t number);
};

std::span<const HostProbe> host_probes();

/// Memory is copied, a file in `directory` is written, made durable, read back and compared, and a process is started
/// and waited for: faulty when any of it fails. Measures bytes copied per second.
ProbeResult host_check(const std::string& directory, std::uint64_t number);

}  // namespace gauntlet
