#include "real/lab/namespaces.hpp"

#include "real/system/command_run.hpp"
#include "real/system/program.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace gauntlet {
namespace {

std::runtime_error failed(const std::string& what, int error) {
  return std::runtime_error("the lab cannot be made: " + what + ": " +
                            std::generic_category().message(error));
}

Descriptor opened(const char* path) {
  Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) throw failed(path, errno);
  return file;
}

Descriptor new_network() {
  if (::unshare(CLONE_NEWNET) != 0) throw failed("a network namespace", errno);
  return opened("/proc/self/ns/net");
}

/// A clock of the children of this process.
Descriptor new_clock(Duration offset) {
  if (::unshare(CLONE_NEWTIME) != 0) throw failed("a time namespace", errno);
  const std::int64_t nanoseconds = offset.count();
  std::ofstream file("/proc/self/timens_offsets");
  file << "monotonic " << nanoseconds / 1'000'000'000 << " " << nanoseconds % 1'000'000'000 << std::flush;
  if (!file) throw failed("the offset of a clock", EINVAL);
  return opened("/proc/self/ns/time_for_children");
}

/// Each interface answers for its own addresses alone, as NICs on different hosts' networks do.
void separate_interfaces() {
  for (const auto& [name, value] : {std::pair("arp_ignore", "1"), std::pair("arp_announce", "2")})
    std::ofstream(std::string("/proc/sys/net/ipv4/conf/all/") + name) << value;
}

/// Runs `ip -batch` with these commands, in the present network namespace.
class Ip {
 public:
  Ip(std::string program, Duration patience, const std::atomic<bool>& stop)
      : program_(std::move(program)), until_(std::chrono::steady_clock::now() + patience), stop_(stop) {}

  void run(const std::string& commands) const {
    const Descriptor file(::memfd_create("commands", MFD_CLOEXEC));
    if (!file || ::write(file.get(), commands.data(), commands.size()) != static_cast<ssize_t>(commands.size()))
      throw failed("commands for ip", errno);
    const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.get());
    const CommandResult result =
        run_command({program_, "-batch", path}, until_ - std::chrono::steady_clock::now(), &stop_);
    if (!result.ok) throw std::runtime_error("the lab cannot be made: " + result.why);
  }

 private:
  const std::string program_;
  const std::chrono::steady_clock::time_point until_;
  const std::atomic<bool>& stop_;
};

}  // namespace

void enter_network(const Descriptor& network) {
  if (::setns(network.get(), CLONE_NEWNET) != 0) throw failed("its network cannot be entered", errno);
}

LabNamespaces make_namespaces(const LabPlan& plan, Duration patience, const std::atomic<bool>& stop) {
  const FoundProgram found = find_program("ip", "/", "/usr/sbin:/sbin:/usr/bin:/bin");
  if (!found.why.empty())
    throw std::runtime_error("the lab cannot be made: " + found.why + "; install iproute2");
  const Ip ip(found.path, patience, stop);
  const Descriptor own_clock = opened("/proc/self/ns/time");
  LabNamespaces made;
  made.bridges = new_network();
  std::vector<std::string> paths;
  for (const LabHost& host : plan.hosts) {
    HostNamespaces& each = made.hosts.emplace_back();
    each.network = new_network();
    separate_interfaces();
    each.time = new_clock(host.clock_offset);
    paths.push_back("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(each.network.get()));
  }
  if (::setns(own_clock.get(), CLONE_NEWTIME) != 0) throw failed("the own clock", errno);
  enter_network(made.bridges);
  ip.run(network_commands(plan, paths));
  for (std::size_t h = 0; h < plan.hosts.size(); ++h) {
    enter_network(made.hosts[h].network);
    ip.run(network_commands(plan.hosts[h]));
  }
  enter_network(made.bridges);
  return made;
}

}  // namespace gauntlet
