// What this process has used so far.
#pragma once

#include "core/time.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace gauntlet {

/// Of all its threads, in the program and in the kernel.
inline Duration cpu_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

/// Bytes of memory that it holds now (proc_pid_statm(5)).
inline std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace gauntlet
