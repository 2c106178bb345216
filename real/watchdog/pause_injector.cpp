#include "real/watchdog/pause_injector.hpp"

#include "real/system/descriptor.hpp"
#include "real/system/process_name.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

/// "PID:START PID:START ...".
std::vector<ProcessName> parse_paused(const std::string& text) {
  std::istringstream in(text);
  std::vector<ProcessName> processes;
  for (std::string each; in >> each;)
    if (const auto process = parse_process_name(each)) processes.push_back(*process);
  return processes;
}

/// Why not, or nothing; nothing also where the process is gone.
std::string signal_named(const ProcessName& process, int number) {
  const Descriptor handle = pidfd_of(process.pid);  // in this order: the number stays that of the process
  if (!handle || !is_alive(process) || signal_process(handle, number) == 0 || errno == ESRCH) return "";
  return "process " + std::to_string(process.pid) +
         " cannot be signalled: " + std::generic_category().message(errno);
}

/// proc(5): T is stopped; a process that has ended needs no stop.
bool stands_still(const ProcessName& process) {
  std::ifstream file("/proc/" + std::to_string(process.pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos || name_ends + 2 >= stat.size()) return true;
  const char state = stat[name_ends + 2];
  return state == 'T' || state == 't' || state == 'Z' || state == 'X';
}

std::string pause_target(const InjectionSite&, const DriverInject&, const InjectionSubject& subject,
                         std::string& why) {
  std::string text;
  for (const pid_t each : subject.processes)
    if (const auto name = name_process(each)) text += (text.empty() ? "" : " ") + to_text(*name);
  if (text.empty()) why = "no process is left to pause";
  return text;
}

std::string inject_pause(const std::string& text) {
  std::string why;
  for (const ProcessName& each : parse_paused(text))
    if (why.empty()) why = signal_named(each, SIGSTOP);
  return why;
}

/// The kernel stops a process when that next runs: it is looked at for so long.
bool pause_observed(const std::string& text) {
  constexpr int kLooks = 500;
  constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 2'000'000};
  const std::vector<ProcessName> processes = parse_paused(text);
  for (int look = 0; look < kLooks; ++look) {
    if (std::all_of(processes.begin(), processes.end(), stands_still)) return true;
    ::nanosleep(&kLook, nullptr);
  }
  return false;
}

std::string undo_pause(const std::string& text) {
  std::string why;
  for (const ProcessName& each : parse_paused(text))
    if (const std::string failed = signal_named(each, SIGCONT); why.empty()) why = failed;
  return why;
}

}  // namespace

HostInjector pause_injector() {
  return {.target = pause_target, .inject = inject_pause, .observed = pause_observed, .undo = undo_pause};
}

}  // namespace gauntlet
