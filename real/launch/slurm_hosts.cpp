#include "real/launch/slurm_hosts.hpp"

#include "core/files/durable.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kSlurmHostsFile = "slurm-hosts";
// Its lines: "host NUMBER NODE JOB DRAINED REPLACEMENT NODE JOB", the latter two of what replaces it, and "job NUMBER".
const std::string kSlurmHostLine = "host", kJobLine = "job", kNoValue = "-";

constexpr auto kLookEvery = std::chrono::seconds(1);  // at replacements that wait for a node
// A scheduler that has a free node starts a job on it within seconds; then the evicted node itself is taken.
constexpr auto kReplacementWithin = std::chrono::seconds(15);

}  // namespace

SlurmHosts::SlurmHosts(Slurm slurm, std::uint32_t hosts, std::string reason,
                       std::function<void(const std::string&)> say)
    : slurm_(std::move(slurm)), reason_(std::move(reason)), say_(std::move(say)) {
  for (std::uint32_t h = 0; h < hosts; ++h)
    hosts_.push_back({.node = {.name = slurm_.nodes().at(h), .job = slurm_.job()}});
}

void SlurmHosts::begin(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  restore(directory);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
}

/// Under the mutex, once: where hosts are, which replacements are awaited, and which jobs are to be cancelled.
void SlurmHosts::restore(const std::string& directory) {
  if (std::exchange(restored_, true)) return;
  directory_ = directory;
  std::ifstream file(directory_ + "/" + kSlurmHostsFile);
  for (std::string kind; file >> kind;) {
    std::string job;
    if (kind == kJobLine && file >> job) jobs_.push_back(job);
    std::uint32_t number = 0;
    unsigned replacement = 0;
    Host host;
    if (kind != kSlurmHostLine || !(file >> number >> host.node.name >> host.node.job >> host.drained >>
                                    replacement >> host.replaced_by.name >> host.replaced_by.job))
      continue;
    if (number >= hosts_.size() || replacement > static_cast<unsigned>(Replacement::unavailable)) continue;
    for (std::string* each : {&host.replaced_by.name, &host.replaced_by.job})
      if (*each == kNoValue) each->clear();
    host.replacement = static_cast<Replacement>(replacement);
    host.wanted_at = std::chrono::steady_clock::now();
    hosts_[number] = host;
    if (host.replacement == Replacement::wanted) ask_for_replacement(number, host.node);
  }
}

void SlurmHosts::stop_working() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
}

void SlurmHosts::end(const std::string& directory) {
  stop_working();
  {
    const std::lock_guard lock(mutex_);
    restore(directory);
  }
  for (const std::string& job : std::exchange(jobs_, {})) {
    if (const std::string why = slurm_.cancel_job(job); !why.empty())
      remark("job " + job + " of a replacement was not cancelled: " + why);
  }
}

SlurmNode SlurmHosts::node_of(std::uint32_t host) const {
  const std::lock_guard lock(mutex_);
  return hosts_.at(host).node;
}

std::vector<std::string> SlurmHosts::remarks() const {
  const std::lock_guard lock(mutex_);
  return remarks_;
}

void SlurmHosts::remark(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    remarks_.push_back(line);
  }
  say_(line);
}

/// Under the mutex. A driver that takes over finds the hosts by it.
void SlurmHosts::save() const {
  std::ostringstream text;
  const auto word = [](const std::string& each) { return each.empty() ? kNoValue : each; };
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    text << kSlurmHostLine << ' ' << h << ' ' << host.node.name << ' ' << host.node.job << ' ' << host.drained
         << ' ' << static_cast<unsigned>(host.replacement) << ' ' << word(host.replaced_by.name) << ' '
         << word(host.replaced_by.job) << '\n';
  }
  for (const std::string& job : jobs_) text << kJobLine << ' ' << job << '\n';
  const std::string path = directory_ + "/" + kSlurmHostsFile;
  // Where it fails, the file is the older one, and this driver goes on without it.
  static_cast<void>(
      replace_file(system_files(), {.path = path, .temporary = path + ".new", .mode = 0600}, text.str()));
}

/// Under the mutex.
void SlurmHosts::ask_for_replacement(std::uint32_t number, const SlurmNode& node) {
  tasks_.emplace_back([this, number, node] {
    drain(number, node);
    replace(number);
  });
  changed_.notify_all();
}

// --- the driver's calls ------------------------------------------------------------------------------------------------

void SlurmHosts::evicted(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  if (host.replacement != Replacement::none && host.replacement != Replacement::unavailable)
    return;  // an earlier driver's call
  host.replacement = Replacement::wanted;
  host.wanted_at = std::chrono::steady_clock::now();
  save();
  ask_for_replacement(agent.host, host.node);
}

bool SlurmHosts::is_back(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  const std::string number = std::to_string(agent.host);
  switch (host.replacement) {
    case Replacement::none:  // it came back before, and its agent did not start
    case Replacement::unavailable:
      return true;
    case Replacement::running:
      host.node = host.replaced_by;
      host.drained = false;
      host.replacement = Replacement::none;
      save();
      tasks_.emplace_back([this, line = "host " + number + " was replaced: node " + host.node.name +
                                        " by job " + host.node.job] { remark(line); });
      changed_.notify_all();
      return true;
    case Replacement::wanted:
      return false;
    case Replacement::pending:
      break;
  }
  if (std::chrono::steady_clock::now() - host.wanted_at < kReplacementWithin) return false;
  host.replacement = Replacement::unavailable;
  std::erase(jobs_, host.replaced_by.job);
  save();
  tasks_.emplace_back([this, job = host.replaced_by.job, number, node = host.node.name] {
    remark("no node is free to replace host " + number + ": node " + node + " itself comes back");
    if (const std::string why = slurm_.cancel_job(job); !why.empty())
      remark("job " + job + " of a replacement was not cancelled: " + why);
  });
  changed_.notify_all();
  return true;
}

void SlurmHosts::readmitted(const AgentName& agent) {
  const std::lock_guard lock(mutex_);
  Host& host = hosts_.at(agent.host);
  host.replacement = Replacement::none;
  const bool drained = std::exchange(host.drained, false);
  save();
  if (!drained) return;
  tasks_.emplace_back([this, number = agent.host, node = host.node.name] {
    const std::string why = slurm_.resume(node);
    remark("host " + std::to_string(number) + ": node " + node +
           (why.empty() ? " was resumed after its repair" : " was not resumed: " + why));
  });
  changed_.notify_all();
}

// --- the worker --------------------------------------------------------------------------------------------------------

void SlurmHosts::work() {
  std::unique_lock lock(mutex_);
  while (!over_ || !tasks_.empty()) {
    if (tasks_.empty()) changed_.wait_for(lock, kLookEvery, [this] { return over_ || !tasks_.empty(); });
    std::function<void()> task = [] {};
    if (!tasks_.empty()) {
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    lock.unlock();
    task();
    look_at_replacements();
    lock.lock();
  }
}

void SlurmHosts::drain(std::uint32_t number, const SlurmNode& node) {
  const std::string why = slurm_.drain(node.name, reason_);
  {
    const std::lock_guard lock(mutex_);
    hosts_[number].drained = why.empty();
    save();
  }
  const std::string who = "host " + std::to_string(number) + ": node " + node.name;
  remark(why.empty() ? who + " was drained, with the reason \"" + reason_ + "\""
                     : who + " was not drained and is only excluded from this drill: " + why);
}

void SlurmHosts::replace(std::uint32_t number) {
  std::string why;
  const std::optional<std::string> job = slurm_.submit_replacement(directory_, why);
  if (!job) remark("host " + std::to_string(number) + ": no replacement could be asked for: " + why);
  const std::lock_guard lock(mutex_);
  Host& host = hosts_[number];
  host.replacement = job ? Replacement::pending : Replacement::unavailable;
  host.replaced_by = {.name = "", .job = job.value_or("")};
  if (job) jobs_.push_back(*job);
  save();
}

void SlurmHosts::look_at_replacements() {
  std::vector<std::pair<std::uint32_t, std::string>> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t h = 0; h < hosts_.size(); ++h)
      if (hosts_[h].replacement == Replacement::pending) waiting.emplace_back(h, hosts_[h].replaced_by.job);
  }
  for (const auto& [number, job] : waiting) {
    const std::optional<SlurmJob> found = slurm_.look_at(job);
    const std::lock_guard lock(mutex_);
    Host& host = hosts_[number];
    if (!found || host.replacement != Replacement::pending || host.replaced_by.job != job) continue;
    if (found->state == SlurmJob::State::pending) continue;
    const bool runs = found->state == SlurmJob::State::running;
    if (runs) host.replaced_by.name = found->node;
    host.replacement = runs ? Replacement::running : Replacement::unavailable;
    save();
  }
}

}  // namespace gauntlet
