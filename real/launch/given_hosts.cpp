#include "real/launch/given_hosts.hpp"

#include "core/files/durable.hpp"
#include "real/certs/peer_identity.hpp"
#include "real/stream/listening.hpp"
#include "real/system/command_run.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kHostsFile = "given-hosts";
// Its lines: "host NUMBER NAME ADDRESS STAGE DRAINED NAME ADDRESS", the latter two of its replacement, "used NAME", and
// "task DEED NUMBER NAME BEGUN".
const std::string kHostLine = "host", kUsedLine = "used", kTaskLine = "task", kNothing = "-";

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

GivenHosts::GivenHosts(HostFile file, std::uint32_t hosts, std::string reason,
                       std::function<void(const std::string&)> say)
    : file_(std::move(file)), reason_(std::move(reason)), say_(std::move(say)) {
  for (std::uint32_t h = 0; h < hosts; ++h) {
    hosts_.push_back({.now = file_.hosts.at(h)});
    used_.insert(file_.hosts[h].name);
  }
}

void GivenHosts::begin(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  restore(directory);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
}

/// Under the mutex, once.
void GivenHosts::restore(const std::string& directory) {
  if (std::exchange(restored_, true)) return;
  directory_ = directory;
  std::ifstream file(directory_ + "/" + kHostsFile);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string kind;
    std::uint32_t number = 0;
    unsigned choice = 0;
    in >> kind;
    if (kind == kUsedLine) {
      if (std::string name; in >> name) used_.insert(name);
    } else if (kind == kTaskLine) {
      Task task;
      if (!(in >> choice >> task.host >> task.name >> task.begun) || task.host >= hosts_.size()) continue;
      task.deed = static_cast<Deed>(std::min(choice, static_cast<unsigned>(Deed::readmit)));
      tasks_.push_back(task);
    } else if (kind == kHostLine) {
      Host host;
      if (!(in >> number >> host.now.name >> host.now.address >> choice >> host.drained >> host.next.name >>
            host.next.address) ||
          number >= hosts_.size() || choice > static_cast<unsigned>(Stage::back))
        continue;
      host.stage = static_cast<Stage>(choice);
      if (host.next.name == kNothing) host.next = {};
      hosts_[number] = host;
    }
  }
}

/// Under the mutex, before anything is done that the next driver must not do again.
void GivenHosts::save() const {
  std::ostringstream text;
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    const GivenHost next = host.next.name.empty() ? GivenHost{kNothing, kNothing} : host.next;
    text << kHostLine << ' ' << h << ' ' << host.now.name << ' ' << host.now.address << ' '
         << static_cast<unsigned>(host.stage) << ' ' << host.drained << ' ' << next.name << ' '
         << next.address << '\n';
  }
  for (const std::string& name : used_) text << kUsedLine << ' ' << name << '\n';
  for (const Task& task : tasks_)
    text << kTaskLine << ' ' << static_cast<unsigned>(task.deed) << ' ' << task.host << ' ' << task.name
         << ' ' << task.begun << '\n';
  const std::string path = directory_ + "/" + kHostsFile;
  // Where it fails, the file is the older one, and this driver goes on without it.
  static_cast<void>(
      replace_file(system_files(), {.path = path, .temporary = path + ".new", .mode = 0600}, text.str()));
}

void GivenHosts::stop_working() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
}

void GivenHosts::end(const std::string& directory) {
  stop_working();
  {
    const std::lock_guard lock(mutex_);
    restore(directory);
  }
  work();  // what an earlier driver left, where this one never began
}

GivenHost GivenHosts::host(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return hosts_.at(number).now;
}

std::vector<std::string> GivenHosts::remarks() const {
  const std::lock_guard lock(mutex_);
  return remarks_;
}

void GivenHosts::remark(const Task& task, const std::string& what) {
  const std::string line = "host " + std::to_string(task.host) + ": " + what;
  {
    const std::lock_guard lock(mutex_);
    remarks_.push_back(line);
  }
  say_(line);
}

// --- the driver's calls ------------------------------------------------------------------------------------------------

void GivenHosts::evicted(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  if (host.stage != Stage::in_drill) return;  // an earlier driver's call
  host.stage = Stage::leaves;
  tasks_.push_back({.deed = Deed::evict, .host = agent.host, .name = host.now.name});
  tasks_.push_back({.deed = Deed::acquire, .host = agent.host, .name = host.now.name});
  save();
  changed_.notify_all();
}

bool GivenHosts::is_back(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  if (host.stage == Stage::leaves) return false;
  if (host.stage == Stage::replaced) {
    host.now = std::exchange(host.next, {});
    host.drained = false;
  }
  if (host.stage == Stage::replaced || host.stage == Stage::alone) {
    host.stage = Stage::back;
    save();
  }
  return true;
}

void GivenHosts::readmitted(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  if (host.stage == Stage::in_drill) return;  // an earlier driver's call
  host.stage = Stage::in_drill;
  if (std::exchange(host.drained, false))
    tasks_.push_back({.deed = Deed::readmit, .host = agent.host, .name = host.now.name});
  save();
  changed_.notify_all();
}

// --- the worker --------------------------------------------------------------------------------------------------------

void GivenHosts::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
    // Nobody needs another host at the end. A driver that continues the drill acquires it.
    const auto next = std::find_if(tasks_.begin(), tasks_.end(),
                                   [this](const Task& each) { return !over_ || each.deed != Deed::acquire; });
    if (next == tasks_.end()) return;
    const auto place = next - tasks_.begin();  // the driver appends meanwhile
    const Task task = *next;
    next->begun = true;
    save();
    lock.unlock();
    if (task.begun)
      give_up(task);
    else
      run(task);
    lock.lock();
    tasks_.erase(tasks_.begin() + place);
    save();
  }
}

void GivenHosts::run(const Task& task) {
  switch (task.deed) {
    case Deed::evict:
      return evict(task);
    case Deed::acquire:
      return acquire(task);
    case Deed::readmit:
      return readmit(task);
  }
}

/// The driver died while the command ran.
void GivenHosts::give_up(const Task& task) {
  const std::string unknown =
      ", and its driver died before it ended; it is not run again: look at " + task.name;
  if (task.deed == Deed::readmit) return remark(task, "the readmit command was run" + unknown);
  {
    const std::lock_guard lock(mutex_);
    Host& host = hosts_[task.host];
    if (task.deed == Deed::evict) host.drained = true;  // to be readmitted in any case
    if (task.deed == Deed::acquire && host.stage == Stage::leaves) host.stage = Stage::alone;
  }
  remark(task, std::string("the ") + (task.deed == Deed::evict ? "evict" : "acquire") + " command was run" +
                   unknown);
}

void GivenHosts::evict(const Task& task) {
  const std::string excluded = task.name + " was not drained and is only excluded from this drill: ";
  if (file_.commands.evict.empty()) return remark(task, excluded + "the host file has no evict command");
  const CommandResult result =
      run_command(filled_in(file_.commands.evict, task.name, reason_), file_.commands.timeout);
  if (!result.ok) return remark(task, excluded + result.why);
  {
    const std::lock_guard lock(mutex_);
    hosts_[task.host].drained = true;
  }
  remark(task, task.name + " was drained, with the reason \"" + reason_ + "\"");
}

/// Empty where the drill has them all, or had them.
GivenHost GivenHosts::next_of_file() {
  const std::lock_guard lock(mutex_);
  for (const GivenHost& each : file_.hosts)
    if (used_.insert(each.name).second) return each;
  return {};
}

/// Empty, with `why`, where there is none.
GivenHost GivenHosts::acquired_host(const Task& task, std::string& why) {
  if (file_.commands.acquire.empty()) {
    why = "the host file has no further host and no acquire command";
    return {};
  }
  const CommandResult result =
      run_command(filled_in(file_.commands.acquire, task.name, reason_), file_.commands.timeout);
  why = result.why;
  if (!result.ok) return {};
  const std::string line = last_printed(result.output);
  std::istringstream in(line);
  GivenHost host;
  std::string more;
  const bool two_words = (in >> host.name >> host.address) && !(in >> more);
  why = file_.commands.acquire.front();
  if (!two_words || !problem_of_host_name(host.name).empty() || !host_port_of(host.address)) {
    why += " printed \"" + line + "\" in place of a name and an address, such as node-7 10.0.0.7:7400";
    return {};
  }
  const std::lock_guard lock(mutex_);
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

void GivenHosts::acquire(const Task& task) {
  std::string why;
  GivenHost found = next_of_file();
  if (found.name.empty()) found = acquired_host(task, why);
  {
    const std::lock_guard lock(mutex_);
    Host& host = hosts_[task.host];
    host.stage = found.name.empty() ? Stage::alone : Stage::replaced;
    host.next = found;
  }
  if (found.name.empty())
    return remark(task, "no replacement was acquired, and " + task.name +
                            " itself comes back after its repair: " + why);
  remark(task, task.name + " is replaced by " + found.name + " at " + found.address);
}

void GivenHosts::readmit(const Task& task) {
  if (file_.commands.readmit.empty())
    return remark(task, task.name + " came back after its repair; the host file has no readmit command");
  const CommandResult result =
      run_command(filled_in(file_.commands.readmit, task.name, reason_), file_.commands.timeout);
  remark(task,
         task.name + (result.ok ? " was readmitted after its repair" : " was not readmitted: " + result.why));
}

}  // namespace gauntlet
