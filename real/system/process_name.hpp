// Names of processes that mean one process alone: numbers are used again after a process ends, and after a boot.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

struct ProcessName {
  pid_t pid = -1;
  std::uint64_t started = 0;  // clock ticks from the boot to its start: field 22 of /proc/PID/stat, proc(5)
  friend bool operator==(const ProcessName&, const ProcessName&) = default;
};

/// Nothing where no process has that number.
std::optional<ProcessName> name_process(pid_t pid);
inline bool is_alive(const ProcessName& process) { return name_process(process.pid) == process; }

/// "1234:567", and back; nothing where the text is not such a name.
std::string to_text(const ProcessName& process);
std::optional<ProcessName> parse_process_name(const std::string& text);

/// Names this boot of the machine: every process and every monotonic time is gone with it. Empty where the kernel does not say.
std::string boot_id();

}  // namespace gauntlet
