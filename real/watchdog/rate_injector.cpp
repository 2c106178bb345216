#include "real/watchdog/rate_injector.hpp"

#include "real/system/command_run.hpp"
#include "real/watchdog/interface_target.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr Duration kTcEndsWithin = std::chrono::seconds(4);  // the agent waits 5 s for the watchdog's answer
// What may leave at once, in bytes: a few frames of an Ethernet's usual size. What waits longer than `latency` is dropped, and TCP sends it again.
constexpr std::int64_t kBurst = 16'000;
constexpr const char* kLatency = "400ms";
constexpr int kNoNetwork = 126;  // tc itself exits with 0, 1 or 2
constexpr std::int64_t kLeastRate =
    1'000;  // bytes a second: TCP still gets a frame through every two seconds

/// "RATE RATE ... | NETWORK INTERFACE INTERFACE ...": bytes a second of each interface.
struct RateTarget {
  std::vector<std::int64_t> rates;
  InterfaceTarget where;
};

RateTarget parse_rate(const std::string& text) {
  const std::size_t bar = text.find('|');
  RateTarget target;
  std::istringstream in(text.substr(0, bar));
  for (std::int64_t each = 0; in >> each;) target.rates.push_back(each);
  if (bar != std::string::npos) target.where = parse_interfaces(text.substr(bar + 1));
  target.rates.resize(target.where.interfaces.size(), kLeastRate);
  return target;
}

CommandResult tc(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tc");
  return run_command(arguments, kTcEndsWithin);
}

bool is_limited(const std::string& interface) {
  return tc({"qdisc", "show", "dev", interface}).output.find("qdisc tbf") != std::string::npos;
}

std::string rate_target(const InjectionSite& site, const DriverInject& what, const InjectionSubject& subject,
                        std::string& why) {
  const InterfaceTarget where = interfaces_of(site, what, why);
  if (!(what.value > 0)) why = "the divisor of a rate is above zero";
  std::string rates;
  for (const std::string& each : where.interfaces) {
    const auto sent = subject.bytes_per_second.find(each);
    if (sent == subject.bytes_per_second.end()) {
      if (why.empty())
        why = "no rank of this host has trained yet, so nobody knows what it sends over " + each;
      continue;
    }
    rates += std::to_string(std::max(kLeastRate, static_cast<std::int64_t>(sent->second / what.value))) + " ";
  }
  return rates + "|" + to_text(where);
}

std::string inject_rate(const std::string& text) {
  const RateTarget target = parse_rate(text);
  if (!is_here(target.where)) return "its interfaces are of another network";
  for (std::size_t i = 0; i < target.where.interfaces.size(); ++i) {
    const CommandResult done =
        tc({"qdisc", "replace", "dev", target.where.interfaces[i], "root", "tbf", "rate",
            std::to_string(target.rates[i]) + "bps", "burst", std::to_string(kBurst), "latency", kLatency});
    if (!done.ok) return "tc: " + done.why;
  }
  return "";
}

bool rate_observed(const std::string& text) {
  const std::vector<std::string> interfaces = parse_rate(text).where.interfaces;
  return std::all_of(interfaces.begin(), interfaces.end(), is_limited);
}

/// Another network has no such fault: its interfaces went with it.
std::string undo_rate(const std::string& text) {
  const RateTarget target = parse_rate(text);
  std::string why;
  if (!is_here(target.where)) return why;
  for (const std::string& each : target.where.interfaces) {
    if (!is_limited(each)) continue;
    const CommandResult done = tc({"qdisc", "del", "dev", each, "root"});
    if (!done.ok && why.empty()) why = "tc: " + done.why;
  }
  return why;
}

/// A kernel may lack the token bucket. Asked in a network of its own, which ends with the process that asks.
std::string rate_unfit() {
  const pid_t asks = ::fork();
  if (asks == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(kNoNetwork);
    ::execlp("tc", "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst", "16kb",
             "latency", kLatency, static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (asks > 0 && ::waitpid(asks, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = asks > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 0) return "";
  if (code == kNoNetwork) return "this process may not make a network namespace; run the drill as root";
  return code == 127 ? "the program tc is missing; install iproute2"
                     : "this kernel has no token bucket for interfaces (tc qdisc tbf, CONFIG_NET_SCH_TBF)";
}

}  // namespace

HostInjector rate_injector() {
  return {.target = rate_target,
          .inject = inject_rate,
          .observed = rate_observed,
          .undo = undo_rate,
          .unfit = rate_unfit};
}

}  // namespace gauntlet
