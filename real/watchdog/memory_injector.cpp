#include "real/watchdog/memory_injector.hpp"

#include "real/system/process_name.hpp"
#include "real/watchdog/group_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion1 = "/sys/fs/cgroup/memory";
// What the group may have. The kernel prefers a process by its preference in thousandths of that (mm/oom_kill.c, oom_badness): far more than the
// memory of the hog itself. Little beside the memory of any machine.
constexpr const char* kLimit = "67108864";
constexpr off_t kHogBytes = 2 * 67108864;
constexpr int kMemoryLooks = 300;
constexpr timespec kMemoryLook{.tv_sec = 0, .tv_nsec = 10'000'000};

bool is_version_1() { return ::access(kVersion1, W_OK) == 0; }

/// "GROUP BEFORE LAB PREFERENCE PID:START": the new group, where the process was, the lab's group, and how gladly the kernel killed it before
/// (proc(5), oom_score_adj).
struct MemoryTarget {
  std::string group, before, lab, preference;
  ProcessName process;
};

std::optional<MemoryTarget> parse_memory(const std::string& text) {
  std::istringstream in(text);
  MemoryTarget target;
  std::string name;
  if (!(in >> target.group >> target.before >> target.lab >> target.preference >> name)) return std::nullopt;
  const std::optional<ProcessName> process = parse_process_name(name);
  if (!process) return std::nullopt;
  target.process = *process;
  return target;
}

/// Also where its parent has not heard of it yet.
bool has_ended(const ProcessName& process) {
  std::ifstream file("/proc/" + std::to_string(process.pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_ends = stat.rfind(')');
  return !is_alive(process) || name_ends == std::string::npos || stat.substr(name_ends + 2, 1) == "Z";
}

std::string preference_file(pid_t process) { return "/proc/" + std::to_string(process) + "/oom_score_adj"; }

/// Of version 1, in the hierarchy of memory.
std::string memory_group_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cgroup");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t at = line.find(":memory:"); at != std::string::npos)
      return kVersion1 + line.substr(at + std::string(":memory:").size());
  return "";
}

/// So often the kernel has killed a process of the group.
int kills_in(const std::string& group) {
  const fs::path files = group;
  std::ifstream file(is_version_1() ? files / "memory.oom_control" : files / "memory.events");
  int count = 0;
  for (std::string name; file >> name >> count;)
    if (name == "oom_kill") return count;
  return 0;
}

/// One rank, by its first process: each that is in the group may be killed. The group is the lab's, not the host's: a process that waits in the
/// kernel for memory takes processor time (Linux 6.18), and what the host may have of that is for the rank to end.
std::string memory_target(const InjectionSite& site, const DriverInject& what,
                          const InjectionSubject& subject, std::string& why) {
  const auto process = subject.processes.empty() ? std::nullopt : name_process(subject.processes.front());
  if (!process) return why = "no process is left that could lack memory", "";
  const std::string lab = fs::path(site.group).parent_path();
  std::string before = site.group + "/" + kAgentGroup, parent = lab;
  if (is_version_1()) before = parent = memory_group_of(process->pid);
  if (site.group.empty() || parent.empty()) why = "only a lab limits the memory of a rank";
  std::string preference = "0";
  std::ifstream(preference_file(process->pid)) >> preference;
  return parent + "/gauntlet-memory-" + std::to_string(process->pid) + "-" + std::to_string(what.injection) +
         " " + before + " " + lab + " " + preference + " " + to_text(*process);
}

/// Takes memory of the group until it is killed: of a file in memory, which does not count as its own. The kernel kills the rank first, which has
/// the highest preference.
[[noreturn]] void be_hog(const MemoryTarget& target, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = ::memfd_create("gauntlet-memory", MFD_CLOEXEC);
  if (is_version_1()) static_cast<void>(write_value(fs::path(target.lab) / "cgroup.procs", "0"));
  if (::getppid() == parent && write_value(fs::path(target.group) / "cgroup.procs", "0"))
    static_cast<void>(::posix_fallocate(file, 0, kHogBytes));
  for (;;) ::pause();
}

/// Returns once the kernel has killed that process, or nothing came of it for long. The kernel counts a kill before its process has ended.
std::string fill(const MemoryTarget& target) {
  const pid_t parent = ::getpid(), hog = ::fork();
  if (hog < 0) return std::string("no process that takes memory: ") + std::generic_category().message(errno);
  if (hog == 0) be_hog(target, parent);
  for (int look = 0; look < kMemoryLooks && !(kills_in(target.group) > 0 && has_ended(target.process));
       ++look)
    ::nanosleep(&kMemoryLook, nullptr);
  ::kill(hog, SIGKILL);
  ::waitpid(hog, nullptr, 0);
  return "";
}

std::string inject_memory(const std::string& text) {
  const std::optional<MemoryTarget> target = parse_memory(text);
  if (!target) return "\"" + text + "\" does not name a control group";
  if (::mkdir(target->group.c_str(), 0755) != 0 && errno != EEXIST)
    return target->group + ": cannot be made: " + std::generic_category().message(errno);
  const fs::path files = target->group;
  static_cast<void>(
      write_value(is_version_1() ? files / "memory.swappiness" : files / "memory.swap.max", "0"));
  if (!write_value(is_version_1() ? files / "memory.limit_in_bytes" : files / "memory.max", kLimit))
    return target->group + ": its memory cannot be limited";
  const pid_t process = target->process.pid;
  constexpr const char* kHighest = "1000";
  if (!is_alive(target->process) || !write_value(preference_file(process), kHighest) ||
      !move_to_group(process, target->group))
    return "process " + std::to_string(process) + ": cannot be moved to " + target->group;
  return fill(*target);
}

bool memory_observed(const std::string& text) {
  const std::optional<MemoryTarget> target = parse_memory(text);
  return target && kills_in(target->group) > 0 && has_ended(target->process);
}

/// A rank that is left goes back to where it was.
std::string undo_memory(const std::string& text) {
  const std::optional<MemoryTarget> target = parse_memory(text);
  if (!target) return "\"" + text + "\" does not name a control group";
  if (is_alive(target->process))
    static_cast<void>(write_value(preference_file(target->process.pid), target->preference));
  for (int look = 0; look < kMemoryLooks; ++look) {
    for (const pid_t each : members_of_group(target->group))
      static_cast<void>(move_to_group(each, target->before));
    if (::rmdir(target->group.c_str()) == 0 || errno == ENOENT) return "";
  }
  return target->group + ": cannot be removed: " + std::generic_category().message(errno);
}

std::string unfit_for_memory() {
  if (is_version_1()) return "";
  std::ifstream file("/sys/fs/cgroup/cgroup.subtree_control");
  for (std::string each; file >> each;)
    if (each == "memory") return "";
  return "no control group here can limit memory";
}

}  // namespace

HostInjector memory_injector() {
  return {.target = memory_target,
          .inject = inject_memory,
          .observed = memory_observed,
          .undo = undo_memory,
          .unfit = unfit_for_memory};
}

}  // namespace gauntlet
