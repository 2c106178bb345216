#include "real/lab/namespaces.hpp"

#include "real/system/program.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

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

/// Runs `ip -batch` with these commands on its standard input, in the present network namespace.
void run_ip(const std::string& program, const std::string& commands) {
  const Descriptor input(::memfd_create("commands", MFD_CLOEXEC));
  std::array<int, 2> output{};
  if (!input ||
      ::write(input.get(), commands.data(), commands.size()) != static_cast<ssize_t>(commands.size()) ||
      ::lseek(input.get(), 0, SEEK_SET) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
    throw failed("commands for ip", errno);
  const Descriptor read_end(output[0]);
  Descriptor write_end(output[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input.get(), STDIN_FILENO);
    ::dup2(write_end.get(), STDOUT_FILENO);
    ::dup2(write_end.get(), STDERR_FILENO);
    ::execl(program.c_str(), "ip", "-batch", "-", nullptr);
    ::_exit(127);
  }
  if (child < 0) throw failed(program, errno);
  write_end.reset();
  std::string said;
  std::array<char, 4096> bytes;
  for (ssize_t count = 0; (count = ::read(read_end.get(), bytes.data(), bytes.size())) > 0;)
    said.append(bytes.data(), static_cast<std::size_t>(count));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::runtime_error("the lab cannot be made: " + program + ": " + said.substr(0, said.find('\n')));
}

}  // namespace

void enter_network(const Descriptor& network) {
  if (::setns(network.get(), CLONE_NEWNET) != 0) throw failed("its network cannot be entered", errno);
}

LabNamespaces make_namespaces(const LabPlan& plan) {
  const FoundProgram ip = find_program("ip", "/", "/usr/sbin:/sbin:/usr/bin:/bin");
  if (!ip.why.empty()) throw std::runtime_error("the lab cannot be made: " + ip.why + "; install iproute2");
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
  run_ip(ip.path, network_commands(plan, paths));
  for (std::size_t h = 0; h < plan.hosts.size(); ++h) {
    enter_network(made.hosts[h].network);
    run_ip(ip.path, network_commands(plan.hosts[h]));
  }
  enter_network(made.bridges);
  return made;
}

}  // namespace gauntlet
