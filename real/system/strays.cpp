#include "real/system/strays.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

/// As proc(5) lists them for each thread. What ends meanwhile may be missing, so callers look until nothing changes.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream listed(task.path() / "children");
    for (pid_t child = 0; listed >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace

std::vector<pid_t> descendants(pid_t process) {
  std::vector<pid_t> found = {};
  std::vector<pid_t> next = children_of(process);
  while (!next.empty()) {
    const pid_t child = next.back();
    next.pop_back();
    if (std::find(found.begin(), found.end(), child) != found.end()) continue;
    found.push_back(child);
    for (const pid_t each : children_of(child)) next.push_back(each);
  }
  return found;
}

bool is_below(pid_t process, pid_t ancestor) {
  const std::vector<pid_t> all = descendants(ancestor);
  return std::find(all.begin(), all.end(), process) != all.end();
}

std::vector<Descriptor> handles_below(pid_t process) {
  std::map<pid_t, Descriptor> opened;
  for (const pid_t each : descendants(process)) opened[each] = pidfd_of(each);
  std::vector<Descriptor> handles;
  for (const pid_t each : descendants(process)) {
    const auto found = opened.find(each);
    if (found != opened.end() && found->second) handles.push_back(std::move(found->second));
  }
  return handles;
}

Strays::Strays() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool Strays::end() {
  const pid_t own_session = ::getsid(0);
  bool reaped = true;
  while (reaped) {  // the death of one makes its children ours
    reaped = false;
    dying_.clear();
    for (const pid_t child : children_of(::getpid())) {
      if (::getsid(child) == own_session) continue;
      const pid_t group = ::getpgid(child);
      if (group > 1) ::kill(-group, SIGKILL);  // never ours: a group is within one session
      ::kill(child, SIGKILL);
      Descriptor handle = pidfd_of(child);
      if (::waitpid(child, nullptr, WNOHANG) == child) {
        reaped = true;
      } else if (handle) {
        dying_.push_back(std::move(handle));
      }
    }
  }
  return !dying_.empty();
}

void Strays::add_to(std::vector<pollfd>& polled) const {
  for (const Descriptor& each : dying_) polled.push_back({.fd = each.get(), .events = POLLIN, .revents = 0});
}

}  // namespace gauntlet
