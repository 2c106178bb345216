#include "real/runner/rank_tag.hpp"

#include "real/system/descriptor.hpp"
#include "real/system/process_name.hpp"

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

constexpr int kTagLooks = 100, kTagLookMs = 100;  // what is forked meanwhile is found by the next look

bool carries(pid_t process, const std::string& tag) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ");
  const std::string variables{std::istreambuf_iterator<char>(file), {}};
  return (std::string(1, '\0') + variables).find(std::string(1, '\0') + tag + '\0') != std::string::npos;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> all;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = each.path().filename().string();
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error == std::errc() && end == name.data() + name.size()) all.push_back(process);
  }
  return all;
}

}  // namespace

std::string rank_tag() {
  const auto own = name_process(::getpid());
  return "GAUNTLET_AGENT=" + (own ? to_text(*own) : std::to_string(::getpid()));
}

bool kill_tagged(const std::string& tag) {
  for (int look = 0; look < kTagLooks; ++look) {
    std::vector<Descriptor> dying;
    for (const pid_t each : all_processes()) {
      if (each == ::getpid() || !carries(each, tag)) continue;
      Descriptor handle = pidfd_of(each);
      // Again, now that the number is that of the handle.
      if (!handle || !carries(each, tag)) continue;
      signal_process(handle, SIGKILL);
      dying.push_back(std::move(handle));
    }
    if (dying.empty()) return true;
    for (const Descriptor& each : dying) {
      pollfd polled{.fd = each.get(), .events = POLLIN, .revents = 0};
      ::poll(&polled, 1, kTagLookMs);
    }
  }
  return false;
}

}  // namespace gauntlet
