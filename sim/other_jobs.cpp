#include "sim/other_jobs.hpp"

#include <algorithm>
#include <tuple>

namespace gauntlet {
OtherJobs::OtherJobs(const SharedCluster& cluster, std::uint32_t own_hosts, Seed seed)
    : cluster_(&cluster), own_hosts_(own_hosts) {
  for (const OtherJob& each : cluster.jobs) {
    Arrivals arrivals{Stream(seed, stream_name("job.arrives." + each.name)),
                      Stream(seed, stream_name("job.runs." + each.name)), kStart};
    // Those of lower priority take nothing from this job.
    const bool matters = each.priority >= cluster.priority;
    arrivals.next = matters ? after(kStart, from_seconds(each.arrives.sample(arrivals.gaps))) : kNever;
    arrivals_.push_back(arrivals);
  }
}

Time OtherJobs::next_time() const {
  Time next = kNever;
  for (const Arrivals& each : arrivals_) next = std::min(next, each.next);
  bool wait = false;
  for (const Job& each : present_) {
    next = std::min(next, each.ends);
    wait = wait || each.ends == kNever;
  }
  if (!wait) return next;
  const auto until_preemptible = [&](Time since) {
    if (preemptible(since) > now_) next = std::min(next, preemptible(since));
  };
  for (const Job& each : present_) {
    if (each.ends != kNever) until_preemptible(each.since);
  }
  if (own_runs_) until_preemptible(own_since_);
  return next;
}

void OtherJobs::arrive(std::uint32_t kind) {
  Arrivals& arrivals = arrivals_[kind];
  const OtherJob& job = cluster_->jobs[kind];
  present_.push_back({kind, ++arrived_, from_seconds(job.runs.sample(arrivals.runs))});
  arrivals.next = after(now_, std::max(Duration(1), from_seconds(job.arrives.sample(arrivals.gaps))));
}

/// The next arrivals and ends, and who runs from then on.
void OtherJobs::step() {
  now_ = next_time();
  std::erase_if(present_, [this](const Job& each) { return each.ends <= now_; });
  for (std::uint32_t kind = 0; kind < arrivals_.size(); ++kind) {
    if (arrivals_[kind].next == now_) arrive(kind);
  }
  give_places();
}

void OtherJobs::give_places() {
  const auto rank_of = [this](bool runs, Time since, std::int64_t priority, std::uint64_t number) {
    const bool stays = runs && now_ < preemptible(since);
    return std::tuple(stays ? 0 : 1, -priority, runs ? 0 : 1, number);
  };
  const auto rank = [&](const Job& job) {
    return rank_of(job.ends != kNever, job.since, cluster_->jobs[job.kind].priority, job.number);
  };
  std::sort(present_.begin(), present_.end(), [&](const Job& a, const Job& b) { return rank(a) < rank(b); });
  std::uint32_t left = cluster_->hosts;
  const auto fits = [&left](std::uint32_t hosts) {
    if (hosts > left) return false;
    left -= hosts;
    return true;
  };
  bool own_asked = false;
  const auto ask_for_own = [&] {
    own_asked = true;
    const bool runs = fits(own_hosts_);
    if (runs && !own_runs_) own_since_ = now_;
    own_runs_ = runs;
  };
  const auto own_rank = rank_of(own_runs_, own_since_, cluster_->priority, 0);
  for (Job& job : present_) {
    if (!own_asked && own_rank < rank(job)) ask_for_own();
    const bool runs = fits(cluster_->jobs[job.kind].hosts);
    if (runs && job.ends == kNever) {
      job.ends = after(now_, job.left);
      job.since = now_;
    }
    if (!runs && job.ends != kNever) {
      job.left = job.ends - now_;
      job.ends = kNever;
    }
  }
  if (!own_asked) ask_for_own();
}

Time OtherJobs::go_on(Duration longest) {
  step();
  const Time then = now_;
  while (!own_runs_ && now_ - then < longest) step();
  return now_;
}

}  // namespace gauntlet
