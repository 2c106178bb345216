#include "real/launch/given_hosts.hpp"

#include "real/certs/peer_identity.hpp"
#include "real/stream/listening.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

// Lines of the state: "host NUMBER NAME ADDRESS STAGE DRAINED NAME ADDRESS", the latter two of its replacement, and "used NAME".
const std::string kHostLine = "host", kUsedLine = "used", kNothing = "-";

std::string last_printed(const std::string& output) {
  std::istringstream in(output);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last;
}

}  // namespace

std::vector<std::string> filled_in(const std::vector<std::string>& arguments, const std::string& host,
                                   const std::string& reason) {
  std::vector<std::string> out = arguments;
  for (std::string& each : out) {
    if (each == kHostArgument)
      each = host;
    else if (each == kReasonArgument)
      each = reason;
  }
  return out;
}

GivenHosts::GivenHosts(HostFile file, std::uint32_t hosts, std::string reason, const std::atomic<bool>* stop,
                       Files& files)
    : file_(std::move(file)), reason_(std::move(reason)), tasks_(*this, "given-hosts", stop, files) {
  for (std::uint32_t h = 0; h < hosts; ++h) {
    hosts_.push_back({.now = file_.hosts.at(h)});
    used_.insert(file_.hosts[h].name);
  }
}

void GivenHosts::read(const std::string& first, std::istream& line) {
  if (first == kUsedLine) {
    if (std::string name; line >> name) used_.insert(name);
    return;
  }
  Host host;
  std::uint32_t number = 0;
  unsigned stage = 0;
  if (first != kHostLine ||
      !(line >> number >> host.now.name >> host.now.address >> stage >> host.drained >> host.next.name >>
        host.next.address) ||
      number >= hosts_.size() || stage > static_cast<unsigned>(Stage::back))
    return;
  host.stage = static_cast<Stage>(stage);
  if (host.next.name == kNothing) host.next = {};
  hosts_[number] = host;
}

void GivenHosts::write(std::ostream& out) const {
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    const GivenHost next = host.next.name.empty() ? GivenHost{kNothing, kNothing} : host.next;
    out << kHostLine << ' ' << h << ' ' << host.now.name << ' ' << host.now.address << ' '
        << static_cast<unsigned>(host.stage) << ' ' << host.drained << ' ' << next.name << ' ' << next.address
        << '\n';
  }
  for (const std::string& name : used_) out << kUsedLine << ' ' << name << '\n';
}

GivenHost GivenHosts::host(std::uint32_t number) const {
  const std::lock_guard lock(tasks_.mutex());
  return hosts_.at(number).now;
}

// --- the driver's calls ------------------------------------------------------------------------------------------------

void GivenHosts::evicted(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  if (host.stage != Stage::in_drill) return;  // an earlier driver's call
  host.stage = Stage::leaves;
  tasks_.add({.deed = evict_host, .host = agent.host, .name = host.now.name});
  tasks_.add({.deed = acquire_host, .host = agent.host, .name = host.now.name});
  tasks_.save();
}

bool GivenHosts::is_back(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  if (host.stage == Stage::leaves) return false;
  if (host.stage == Stage::replaced || host.stage == Stage::alone) {
    if (host.stage == Stage::replaced) host = {.now = host.next};
    host.stage = Stage::back;
    tasks_.save();
  }
  return tasks_.saved();  // else the next driver would look for it elsewhere
}

void GivenHosts::readmitted(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  if (host.stage == Stage::in_drill) return;  // an earlier driver's call
  host.stage = Stage::in_drill;
  if (std::exchange(host.drained, false))
    tasks_.add({.deed = readmit_host, .host = agent.host, .name = host.now.name});
  tasks_.save();
}

// --- what a task does --------------------------------------------------------------------------------------------------

std::string GivenHosts::name_of(const HostTask& task) const {
  const char* const command = task.deed == evict_host     ? "the evict command for "
                              : task.deed == acquire_host ? "the acquire command in place of "
                                                          : "the readmit command for ";
  return command + task.name;
}

bool GivenHosts::run(const HostTask& task) {
  switch (task.deed) {
    case evict_host:
      return evict(task);
    case acquire_host:
      return acquire(task);
    default:
      return readmit(task);
  }
}

CommandResult GivenHosts::command(const std::vector<std::string>& arguments, const HostTask& task) const {
  return tasks_.command(filled_in(arguments, task.name, reason_), file_.commands.timeout);
}

/// An earlier driver ran its command.
bool GivenHosts::is_unknown(const HostTask& task) {
  if (!task.begun) return false;
  tasks_.remark(
      task,
      name_of(task) + " was run, and its driver ended before it; it is not run again: look at " + task.name);
  return true;
}

bool GivenHosts::evict(const HostTask& task) {
  const std::string excluded = task.name + " was not drained and is only excluded from this drill: ";
  if (file_.commands.evict.empty()) {
    tasks_.remark(task, excluded + "the host file has no evict command");
    return true;
  }
  const bool unknown = is_unknown(task);
  const CommandResult result = unknown ? CommandResult{} : command(file_.commands.evict, task);
  if (result.stopped) return false;
  if (!unknown)
    tasks_.remark(task, result.ok ? task.name + " was drained, with the reason \"" + reason_ + "\""
                                  : excluded + result.why);
  const std::lock_guard lock(tasks_.mutex());
  hosts_[task.host].drained = result.ok || unknown;  // what may be drained is readmitted
  return true;
}

/// Empty where the drill has them all, or had them.
GivenHost GivenHosts::next_of_file() {
  const std::lock_guard lock(tasks_.mutex());
  for (const GivenHost& each : file_.hosts)
    if (used_.insert(each.name).second) return each;
  return {};
}

/// What acquire printed. Empty, with `why`, where that is no new host.
GivenHost GivenHosts::printed_host(const std::string& output, std::string& why) {
  const std::string line = last_printed(output);
  std::istringstream in(line);
  GivenHost host;
  std::string more;
  const bool two_words = (in >> host.name >> host.address) && !(in >> more);
  why = file_.commands.acquire.front();
  if (!two_words || !problem_of_host_name(host.name).empty() || !host_port_of(host.address)) {
    why += " printed \"" + line + "\" in place of a name and an address, such as node-7 10.0.0.7:7400";
    return {};
  }
  const std::lock_guard lock(tasks_.mutex());
  const bool in_drill = std::any_of(hosts_.begin(), hosts_.end(), [&](const Host& each) {
    return each.now.name == host.name || each.now.address == host.address || each.next.name == host.name;
  });
  if (in_drill) {
    why += " gave " + host.name + " at " + host.address + ", which the drill has already";
    return {};
  }
  used_.insert(host.name);
  return host;
}

bool GivenHosts::acquire(const HostTask& task) {
  // Before a command is run: an earlier driver that began this and left a host of the file has run none.
  GivenHost found = next_of_file();
  std::string why = "the host file has no further host and no acquire command";
  if (found.name.empty() && !file_.commands.acquire.empty()) {
    if (is_unknown(task)) {
      settle(task, {}, "");
      return true;
    }
    const CommandResult result = command(file_.commands.acquire, task);
    if (result.stopped) return false;
    why = result.why;
    if (result.ok) found = printed_host(result.output, why);
  }
  settle(task, found, why);
  return true;
}

/// `why` there is no replacement; empty: that was said.
void GivenHosts::settle(const HostTask& task, const GivenHost& replacement, const std::string& why) {
  const bool alone = replacement.name.empty();
  if (!alone)
    tasks_.remark(task, task.name + " is replaced by " + replacement.name + " at " + replacement.address);
  else if (!why.empty())
    tasks_.remark(task, "no replacement was acquired, and " + task.name +
                            " itself comes back after its repair: " + why);
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_[task.host];
  host.stage = alone ? Stage::alone : Stage::replaced;
  host.next = replacement;
}

bool GivenHosts::readmit(const HostTask& task) {
  if (file_.commands.readmit.empty()) {
    tasks_.remark(task, task.name + " came back after its repair; the host file has no readmit command");
    return true;
  }
  if (is_unknown(task)) return true;
  const CommandResult result = command(file_.commands.readmit, task);
  if (result.stopped) return false;
  tasks_.remark(task, task.name + (result.ok ? " was readmitted after its repair"
                                             : " was not readmitted: " + result.why));
  return true;
}

}  // namespace gauntlet
