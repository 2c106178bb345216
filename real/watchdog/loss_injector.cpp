#include "real/watchdog/loss_injector.hpp"

#include "real/system/command_run.hpp"
#include "real/watchdog/interface_target.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <sstream>

namespace gauntlet {
namespace {

constexpr auto kNftEndsWithin = std::chrono::seconds(4);  // the agent waits 5 s for the watchdog's answer
constexpr int kShares = 10'000;                           // a loss is a whole number of these
constexpr int kNoNamespace = 126;                         // nft itself exits with 0 or 1

/// "LOST | NETWORK INTERFACE INTERFACE ...": so many of kShares packets.
struct LossTarget {
  int lost = 0;
  InterfaceTarget where;
};

LossTarget parse_loss(const std::string& text) {
  const std::size_t bar = text.find('|');
  LossTarget target;
  std::istringstream(text.substr(0, bar)) >> target.lost;
  if (bar != std::string::npos) target.where = parse_interfaces(text.substr(bar + 1));
  return target;
}

CommandResult nft(const std::string& commands) { return run_command({"nft", commands}, kNftEndsWithin); }

std::string table_of(const std::string& interface) { return "netdev gauntlet_loss_" + interface; }

/// Made whole in one transaction, also where it is there. What is received is dropped, as the sender sees a loss on the wire: what is dropped
/// where it is sent the sender's TCP learns at once. Addresses are resolved on (ARP is spared), for that has no quick retry.
std::string commands_of(const std::string& interface, int lost) {
  const std::string table = table_of(interface), chain = table + " lossy";
  return "add table " + table + "; delete table " + table + "; add table " + table + "; add chain " + chain +
         " { type filter hook ingress device \"" + interface + "\" priority 0; }; add rule " + chain +
         " meta protocol { ip, ip6 } numgen random mod " + std::to_string(kShares) + " < " +
         std::to_string(lost) + " drop";
}

bool is_lossy(const std::string& interface) { return nft("list table " + table_of(interface)).ok; }

std::string loss_target(const InjectionSite& site, const DriverInject& what, const InjectionSubject&,
                        std::string& why) {
  const InterfaceTarget where = interfaces_of(site, what, why);
  const int lost = static_cast<int>(what.value * kShares + 0.5);
  if (why.empty() && (lost < 1 || lost > kShares))
    why = "the share of packets that are lost is above 0 and at most 1";
  return std::to_string(lost) + " | " + to_text(where);
}

std::string inject_loss(const std::string& text) {
  const LossTarget target = parse_loss(text);
  if (!is_here(target.where)) return "its interfaces are of another network";
  for (const std::string& each : target.where.interfaces)
    if (const CommandResult done = nft(commands_of(each, target.lost)); !done.ok) return "nft: " + done.why;
  return "";
}

bool loss_observed(const std::string& text) {
  const std::vector<std::string> interfaces = parse_loss(text).where.interfaces;
  return std::all_of(interfaces.begin(), interfaces.end(), is_lossy);
}

/// Another network has no such fault: its interfaces went with it.
std::string undo_loss(const std::string& text) {
  const LossTarget target = parse_loss(text);
  std::string why;
  if (!is_here(target.where)) return why;
  for (const std::string& each : target.where.interfaces) {
    if (!is_lossy(each)) continue;
    const CommandResult done = nft("delete table " + table_of(each));
    if (!done.ok && why.empty()) why = "nft: " + done.why;
  }
  return why;
}

/// A kernel may lack nftables. Asked in a network of its own, which ends with the process that asks.
std::string loss_unfit() {
  const pid_t asks = ::fork();
  if (asks == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(kNoNamespace);
    const std::string commands = commands_of("lo", 1);
    ::execlp("nft", "nft", commands.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (asks > 0 && ::waitpid(asks, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = asks > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 0) return "";
  if (code == kNoNamespace) return "this process may not make a network namespace; run the drill as root";
  return code == 127 ? "the program nft is missing; install nftables"
                     : "this kernel drops no packets at random (nftables with numgen, CONFIG_NFT_NUMGEN)";
}

}  // namespace

HostInjector loss_injector() {
  return {.target = loss_target,
          .inject = inject_loss,
          .observed = loss_observed,
          .undo = undo_loss,
          .unfit = loss_unfit};
}

}  // namespace gauntlet
