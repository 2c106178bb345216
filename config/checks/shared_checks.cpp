#include "config/checks/shared_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace gauntlet {
namespace {

void check_job(const Place& root, const OtherJob& job, const SharedCluster& shared) {
  const std::string path = "cluster.shared.jobs." + job.name;
  if (root.sound(path + ".hosts") && job.hosts > shared.hosts)
    root.mistake_at(path + ".hosts",
                    "is more than the " + std::to_string(shared.hosts) + " of cluster.shared.hosts",
                    "it would never run: write less");
  if (root.sound(path + ".arrives") && !(job.arrives.mean() > 0))
    root.mistake_at(path + ".arrives", "takes no time from one to the next",
                    "write \"12h\", or a distribution with a mean");
  if (root.sound(path + ".runs") && !(job.runs.mean() > 0))
    root.mistake_at(path + ".runs", "takes no time", "write \"3h\", or a distribution with a mean");
}

double asked_by(const OtherJob& job) { return job.hosts * job.runs.mean() / job.arrives.mean(); }

/// What those that come before this job ask for must fit in the long run: of each kind, and all together.
void check_load(const Place& root, const World& world) {
  const SharedCluster& shared = world.shared;
  double asked = 0;  // hosts, on average
  for (const OtherJob& job : shared.jobs) {
    if (job.priority <= shared.priority) continue;
    const std::uint32_t at_once = shared.hosts / job.hosts;
    if (job.runs.mean() / job.arrives.mean() >= at_once) {
      root.mistake_at("cluster.shared.jobs." + job.name + ".arrives",
                      "brings more of them than run at once: " + std::to_string(at_once) + " of " +
                          std::to_string(job.hosts) + " hosts fit in " + std::to_string(shared.hosts),
                      "they would wait ever longer: let them arrive less often, or run for less");
      return;
    }
    asked += asked_by(job);
  }
  const std::uint32_t left = shared.hosts - hosts_held(world);
  if (asked >= shared.hosts) {
    root.mistake_at("cluster.shared.hosts",
                    "is no more than the " + std::to_string(static_cast<std::uint64_t>(std::ceil(asked))) +
                        " hosts that jobs that go first ask for on average (hosts x runs / arrives)",
                    "they would wait ever longer: write more hosts, or let them arrive less often");
  } else if (asked > left) {
    root.warning_at("cluster.shared.hosts",
                    "leaves " + std::to_string(left) + " beside this job, and others that go first ask for " +
                        std::to_string(static_cast<std::uint64_t>(std::ceil(asked))) +
                        " on average: it is without its own for much of the time",
                    "write more hosts, or let the others arrive less often");
  }
}

/// Who never moves this job: those behind it leave it its hosts, but where they have just begun and those that go first must
/// take others.
void warn_of_patience(const Place& root, const SharedCluster& shared) {
  bool any_first = false;
  for (const OtherJob& job : shared.jobs) {
    if (!root.sound("cluster.shared.jobs." + job.name + ".priority")) return;
    any_first = any_first || job.priority > shared.priority;
  }
  if (!root.all_sound("cluster.shared.priority", "cluster.shared.preempt_after")) return;
  if (any_first && shared.preempt_after > Duration::zero()) return;
  for (const OtherJob& job : shared.jobs) {
    if (job.priority > shared.priority) continue;
    root.warning_at("cluster.shared.jobs." + job.name + ".priority",
                    "does not go before this job, which was there first: such jobs have no effect on it",
                    "write " + std::to_string(shared.priority + 1) + " or more, or leave the entry out");
  }
}

}  // namespace

void check_shared(const Place& root, const World& world) {
  const SharedCluster& shared = world.shared;
  if (shared.jobs.empty() && shared.hosts == 0) return;
  if (!root.all_sound("cluster.shared.hosts", "cluster.hosts", "spares")) return;
  if (shared.hosts == 0) {
    root.mistake_at("cluster.shared.hosts", "has no place for cluster.shared.jobs",
                    "write how many hosts the whole cluster has");
    return;
  }
  if (shared.hosts < world.inventory.hosts()) {
    root.mistake_at("cluster.shared.hosts",
                    "is below the " + std::to_string(world.inventory.hosts()) +
                        " of this job, its spares and their pool (cluster.hosts, spares)",
                    "write how many hosts the whole cluster has");
    return;
  }
  const bool known = root.mistakes().none();
  for (const OtherJob& job : shared.jobs) check_job(root, job, shared);
  if (known && root.mistakes().none()) check_load(root, world);
  warn_of_patience(root, shared);
}

}  // namespace gauntlet
