#include "real/launch/slurm_hosts.hpp"

#include "core/quantity.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

namespace gauntlet {
namespace {

// Lines of the state: "host NUMBER NODE JOB DRAINED REPLACEMENT NODE JOB", the latter two of what replaces it, and "job NUMBER".
const std::string kSlurmHostLine = "host", kJobLine = "job", kNoValue = "-";

// A scheduler that has a free node starts a job on it within seconds; then the evicted node itself is taken.
constexpr auto kReplacementWithin = std::chrono::seconds(15);

// An agent that does not start on its node is tried again after a pause, which doubles. A node that Slurm boots has ResumeTimeout (60 s,
// slurm.conf) for it; the longest pause is five of these.
constexpr Duration kFirstPause = std::chrono::seconds(5), kLongestPause = std::chrono::minutes(5);

}  // namespace

SlurmHosts::SlurmHosts(Slurm slurm, std::uint32_t hosts, std::string reason, const std::atomic<bool>* stop,
                       Files& files)
    : slurm_(std::move(slurm)), reason_(std::move(reason)), tasks_(*this, "slurm-hosts", stop, files) {
  slurm_.run_by([this](const std::vector<std::string>& arguments, Duration timeout) {
    return tasks_.command(arguments, timeout);
  });
  for (std::uint32_t h = 0; h < hosts; ++h)
    hosts_.push_back({.node = {.name = slurm_.nodes().at(h), .job = slurm_.job()}});
}

void SlurmHosts::begin(const std::string& directory) {
  directory_ = directory;
  tasks_.begin(directory);
}

void SlurmHosts::end(const std::string& directory) {
  directory_ = directory;
  tasks_.end(directory);
}

void SlurmHosts::read(const std::string& first, std::istream& line) {
  if (std::string job; first == kJobLine && line >> job) jobs_.push_back(job);
  std::uint32_t number = 0;
  unsigned replacement = 0;
  Host host;
  if (first != kSlurmHostLine || !(line >> number >> host.node.name >> host.node.job >> host.drained >>
                                   replacement >> host.replaced_by.name >> host.replaced_by.job))
    return;
  if (number >= hosts_.size() || replacement > static_cast<unsigned>(Replacement::unavailable)) return;
  for (std::string* each : {&host.replaced_by.name, &host.replaced_by.job})
    if (*each == kNoValue) each->clear();
  host.replacement = static_cast<Replacement>(replacement);
  host.wanted_at = std::chrono::steady_clock::now();
  hosts_[number] = host;
}

void SlurmHosts::write(std::ostream& out) const {
  const auto word = [](const std::string& each) { return each.empty() ? kNoValue : each; };
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    out << kSlurmHostLine << ' ' << h << ' ' << host.node.name << ' ' << host.node.job << ' ' << host.drained
        << ' ' << static_cast<unsigned>(host.replacement) << ' ' << word(host.replaced_by.name) << ' '
        << word(host.replaced_by.job) << '\n';
  }
  for (const std::string& job : jobs_) out << kJobLine << ' ' << job << '\n';
}

SlurmNode SlurmHosts::node_of(std::uint32_t host) const {
  const std::lock_guard lock(tasks_.mutex());
  return hosts_.at(host).node;
}

// --- the driver's calls ------------------------------------------------------------------------------------------------

void SlurmHosts::evicted(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  if (host.replacement != Replacement::none && host.replacement != Replacement::unavailable)
    return;  // an earlier driver's call
  host.replacement = Replacement::wanted;
  host.pause = Duration::zero();
  host.tried_again_at = {};
  host.wanted_at = std::chrono::steady_clock::now();
  tasks_.add({.deed = drain_node, .host = agent.host, .name = host.node.name});
  tasks_.add({.deed = replace_node, .host = agent.host, .name = host.node.name});
  tasks_.save();
}

bool SlurmHosts::is_back(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  switch (host.replacement) {
    case Replacement::none:
    case Replacement::unavailable:
      return tasks_.saved() && may_try(agent.host, host);
    case Replacement::running:
      host = {.node = host.replaced_by};
      tasks_.remark("host " + std::to_string(agent.host) + " was replaced: node " + host.node.name +
                    " by job " + host.node.job);
      tasks_.save();
      break;
    case Replacement::wanted:
      return false;
    case Replacement::pending:
      if (std::chrono::steady_clock::now() - host.wanted_at < kReplacementWithin) return false;
      take_no_replacement(agent.host, host);
  }
  return tasks_.saved() &&
         may_try(agent.host, host);  // saved: else the next driver would look for it elsewhere
}

/// Whether its agent may be started now. Where it is not the first time, the agent did not start before: the node may be gone.
bool SlurmHosts::may_try(std::uint32_t number, Host& host) {
  const auto now = std::chrono::steady_clock::now();
  if (now < host.tried_again_at) return false;
  if (host.pause == kFirstPause)
    tasks_.remark("host " + std::to_string(number) + ": its agent does not start on node " + host.node.name +
                  "; it is tried again after longer and longer pauses, up to " + to_text(kLongestPause));
  host.pause = host.pause == Duration::zero() ? kFirstPause : std::min(2 * host.pause, kLongestPause);
  host.tried_again_at = now + host.pause;
  return true;
}

void SlurmHosts::take_no_replacement(std::uint32_t number, Host& host) {
  host.replacement = Replacement::unavailable;
  tasks_.remark("no node is free to replace host " + std::to_string(number) + ": node " + host.node.name +
                " itself comes back");
  tasks_.add({.deed = cancel_job, .host = number, .name = host.replaced_by.job});
  tasks_.save();
}

void SlurmHosts::readmitted(const AgentName& agent) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(agent.host);
  host.replacement = Replacement::none;
  if (host.drained && !tasks_.holds(resume_node, host.node.name))
    tasks_.add({.deed = resume_node, .host = agent.host, .name = host.node.name});
  tasks_.save();
}

// --- what a task does --------------------------------------------------------------------------------------------------

std::string SlurmHosts::name_of(const HostTask& task) const {
  switch (task.deed) {
    case drain_node:
      return "the drain of node " + task.name;
    case replace_node:
      return "the replacement of node " + task.name;
    case resume_node:
      return "the resume of node " + task.name;
    default:
      return "the cancellation of job " + task.name;
  }
}

bool SlurmHosts::run(const HostTask& task) {
  switch (task.deed) {
    case drain_node:
      return drain(task);
    case replace_node:
      return replace(task);
    case resume_node:
      return resume(task);
    default:
      return cancel(task);
  }
}

/// The host may have another node by now.
void SlurmHosts::note(const HostTask& task, bool drained) {
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(task.host);
  if (host.node.name == task.name) host.drained = drained;
}

bool SlurmHosts::drain(const HostTask& task) {
  const std::string why = slurm_.drain(task.name, reason_);
  if (!why.empty() && tasks_.stopped()) return false;
  note(task, why.empty());
  const std::string who = "node " + task.name;
  tasks_.remark(task, why.empty() ? who + " was drained, with the reason \"" + reason_ + "\""
                                  : who + " was not drained and is only excluded from this drill: " + why);
  return true;
}

bool SlurmHosts::resume(const HostTask& task) {
  const std::string why = slurm_.resume(task.name);
  if (!why.empty() && tasks_.stopped()) return false;
  note(task, !why.empty());
  tasks_.remark(task, "node " + task.name +
                          (why.empty() ? " was resumed after its repair" : " was not resumed: " + why));
  return true;
}

bool SlurmHosts::cancel(const HostTask& task) {
  const std::string why = slurm_.cancel_job(task.name);
  if (!why.empty() && tasks_.stopped()) return false;
  if (!why.empty()) tasks_.remark("job " + task.name + " of a replacement was not cancelled: " + why);
  const std::lock_guard lock(tasks_.mutex());
  if (why.empty()) std::erase(jobs_, task.name);
  return true;
}

/// The job that an earlier driver asked for before it died.
std::optional<std::string> SlurmHosts::submitted_before(const std::string& name, std::string& why) const {
  const auto jobs = slurm_.jobs_named(name, why);
  const std::lock_guard lock(tasks_.mutex());
  for (const std::string& job : jobs.value_or(std::vector<std::string>{}))
    if (std::find(jobs_.begin(), jobs_.end(), job) == jobs_.end()) return job;
  return std::nullopt;
}

bool SlurmHosts::replace(const HostTask& task) {
  const std::string name =
      "gauntlet-replacement-" + std::filesystem::path(directory_).filename().string() + "-" + task.name;
  std::string why;
  std::optional<std::string> job;
  if (task.begun) job = submitted_before(name, why);
  if (!job && why.empty() && !tasks_.ending()) job = slurm_.submit_replacement(directory_, name, why);
  if (!job && tasks_.stopped()) return false;
  if (!job && !tasks_.ending()) tasks_.remark(task, "no replacement could be asked for: " + why);
  const std::lock_guard lock(tasks_.mutex());
  Host& host = hosts_.at(task.host);
  host.replacement = job ? Replacement::pending : Replacement::unavailable;
  host.replaced_by = {.name = "", .job = job.value_or("")};
  if (job) jobs_.push_back(*job);
  if (job && tasks_.ending()) tasks_.add({.deed = cancel_job, .host = task.host, .name = *job});
  return true;
}

/// At replacements that wait for a node.
void SlurmHosts::look() {
  std::vector<std::pair<std::uint32_t, std::string>> waiting;
  {
    const std::lock_guard lock(tasks_.mutex());
    for (std::uint32_t h = 0; h < hosts_.size(); ++h)
      if (hosts_[h].replacement == Replacement::pending) waiting.emplace_back(h, hosts_[h].replaced_by.job);
  }
  for (const auto& [number, job] : waiting) {
    const std::optional<SlurmJob> found = slurm_.look_at(job);
    const std::lock_guard lock(tasks_.mutex());
    Host& host = hosts_[number];
    if (!found || host.replacement != Replacement::pending || host.replaced_by.job != job) continue;
    if (found->state == SlurmJob::State::pending) continue;
    const bool runs = found->state == SlurmJob::State::running;
    if (runs) host.replaced_by.name = found->node;
    host.replacement = runs ? Replacement::running : Replacement::unavailable;
    tasks_.save();
  }
}

void SlurmHosts::add_last_tasks() {
  for (const std::string& job : jobs_)
    if (!tasks_.holds(cancel_job, job)) tasks_.add({.deed = cancel_job, .host = 0, .name = job});
}

}  // namespace gauntlet
