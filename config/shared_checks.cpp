#include "config/shared_checks.hpp"

#include <cmath>
#include <string>

namespace gauntlet {
namespace {

std::string text(std::uint64_t number) { return std::to_string(number); }

void check_job(const Place& root, const OtherJob& job, const SharedCluster& shared) {
  const std::string path = "cluster.shared.jobs." + job.name;
  if (root.sound(path + ".hosts") && job.hosts > shared.hosts)
    root.mistake_at(path + ".hosts", "is more than the " + text(shared.hosts) + " of cluster.shared.hosts",
                    "it would never run: write less");
  if (root.sound(path + ".arrives") && !(job.arrives.mean() > 0))
    root.mistake_at(path + ".arrives", "takes no time from one to the next",
                    "write \"12h\", or a law with a mean");
  if (root.sound(path + ".runs") && !(job.runs.mean() > 0))
    root.mistake_at(path + ".runs", "takes no time", "write \"3h\", or a law with a mean");
  const bool known =
      root.all_sound(path + ".priority", "cluster.shared.priority", "cluster.shared.preempt_after");
  if (known && job.priority < shared.priority && shared.preempt_after == Duration::zero())
    root.warning_at(
        path + ".priority",
        "is below cluster.shared.priority: such jobs have no effect on this one, where they can be "
        "preempted at once",
        "write " + std::to_string(shared.priority) +
            " to let them wait for each other, more to let them go first, or leave the entry out");
}

/// What those that come before this job ask for must fit in the long run.
void check_load(const Place& root, const World& world) {
  const SharedCluster& shared = world.shared;
  double asked = 0;
  for (const OtherJob& job : shared.jobs) {
    const std::string path = "cluster.shared.jobs." + job.name;
    if (!root.all_sound(path + ".hosts", path + ".priority", path + ".arrives", path + ".runs")) return;
    if (job.priority >= shared.priority) asked += job.hosts * job.runs.mean() / job.arrives.mean();
  }
  if (asked < shared.hosts) {
    const std::uint32_t left = shared.hosts - hosts_held(world);
    if (asked > left)
      root.warning_at("cluster.shared.hosts",
                      "leaves " + text(left) +
                          " beside this job, and others of its priority or above ask for " +
                          text(static_cast<std::uint64_t>(std::ceil(asked))) +
                          " on average: it is without its own for much of the time",
                      "write more hosts, or let the others arrive less often");
    return;
  }
  const std::string hosts =
      std::isfinite(asked) ? text(static_cast<std::uint64_t>(std::ceil(asked))) : "endless";
  root.mistake_at(
      "cluster.shared.hosts",
      "is no more than the " + hosts +
          " hosts that jobs of this one's priority or above ask for on average (hosts x runs / arrives)",
      "they would wait ever longer: write more hosts, or let them arrive less often");
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
  if (shared.hosts < hosts_held(world)) {
    root.mistake_at("cluster.shared.hosts",
                    "is below the " + text(hosts_held(world)) +
                        " that this job and its spares hold (cluster.hosts, spares)",
                    "write how many hosts the whole cluster has");
    return;
  }
  const bool known = root.mistakes().none();
  for (const OtherJob& job : shared.jobs) check_job(root, job, shared);
  if (known && root.mistakes().none()) check_load(root, world);
}

}  // namespace gauntlet
