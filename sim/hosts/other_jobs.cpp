#include "sim/hosts/other_jobs.hpp"

#include "core/saturating.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gauntlet {
OtherJobs::OtherJobs(const SharedCluster& cluster, std::uint32_t own_hosts, Seed seed)
    : cluster_(&cluster), own_hosts_(own_hosts) {
  for (const OtherJob& each : cluster.jobs) {
    Arrivals arrivals{.gaps = Stream(seed, stream_name("job.arrives." + each.name)),
                      .runs = Stream(seed, stream_name("job.runs." + each.name)),
                      .next = kNever};
    // The others keep nothing from this job, unless those that have just begun stay.
    if (each.priority > cluster.priority || cluster.preempt_after > Duration::zero())
      arrivals.next = after(kStart, from_seconds(each.arrives.sample(arrivals.gaps)));
    arrivals_.push_back(std::move(arrivals));
  }
}

bool OtherJobs::anyone_waits() const {
  return !own_runs_ || std::any_of(arrivals_.begin(), arrivals_.end(), [](const Arrivals& each) {
    return !each.waiting.empty();
  }) || std::any_of(present_.begin(), present_.end(), [](const Job& each) { return each.ends == kNever; });
}

Time OtherJobs::next_time() const {
  Time next = kNever;
  for (const Arrivals& each : arrivals_) next = std::min(next, each.next);
  for (const Job& each : present_) next = std::min(next, each.ends);
  if (cluster_->preempt_after == Duration::zero() || !anyone_waits()) return next;
  const auto until_preemptible = [&](Time since) {
    if (preemptible(since) > now_) next = std::min(next, preemptible(since));
  };
  for (const Job& each : present_) {
    if (each.ends != kNever) until_preemptible(each.since);
  }
  if (own_runs_) until_preemptible(own_since_);
  return next;
}

/// The next arrivals and ends, and who runs from then on.
void OtherJobs::step() {
  now_ = next_time();
  std::erase_if(present_, [this](const Job& each) { return each.ends <= now_; });
  for (std::size_t kind = 0; kind < arrivals_.size(); ++kind) {
    Arrivals& arrivals = arrivals_[kind];
    if (arrivals.next != now_) continue;
    arrivals.waiting.push_back(++arrived_);
    const Duration gap = from_seconds(cluster_->jobs[kind].arrives.sample(arrivals.gaps));
    arrivals.next = after(now_, std::max(Duration(1), gap));
  }
  give_places();
}

OtherJobs::Rank OtherJobs::rank(bool runs, Time since, std::int64_t priority, std::uint64_t number) const {
  const bool stays = runs && now_ < preemptible(since);
  return {stays ? 0 : 1, -priority, runs ? 0 : 1, number};
}

OtherJobs::Rank OtherJobs::rank(const Job& job) const {
  return rank(job.ends != kNever, job.since, cluster_->jobs[job.kind].priority, job.number);
}

void OtherJobs::run_or_wait(Job& job, bool runs) {
  if (runs && job.ends == kNever) {
    job.ends = std::min(after(now_, job.left), kLast);
    job.since = now_;
  } else if (!runs && job.ends != kNever) {
    job.left = job.ends - now_;
    job.ends = kNever;
  }
}

/// Of each kind the first that has not run yet asks for all behind it: where it does not fit, they do not.
void OtherJobs::give_places() {
  std::sort(present_.begin(), present_.end(),
            [this](const Job& a, const Job& b) { return rank(a) < rank(b); });
  std::uint32_t left = cluster_->hosts;
  const auto fits = [&left](std::uint32_t hosts) {
    if (hosts > left) return false;
    left -= hosts;
    return true;
  };
  const std::size_t ran = present_.size();
  std::size_t next = 0;                       // of those
  bool own_asked = false, own_waits = false;  // then nobody behind it begins
  std::vector<bool> refused(arrivals_.size());
  const Rank own = rank(own_runs_, own_since_, cluster_->priority, 0);
  while (true) {
    std::optional<Rank> first;
    std::size_t kind = arrivals_.size();  // whose first one asks; none: one that ran, or this job
    for (std::size_t k = 0; k < arrivals_.size(); ++k) {
      if (refused[k] || arrivals_[k].waiting.empty()) continue;
      const Rank each = rank(false, {}, cluster_->jobs[k].priority, arrivals_[k].waiting.front());
      if (first && *first < each) continue;
      first = each;
      kind = k;
    }
    const bool own_is_before = !own_asked && (!first || own < *first);
    if (next < ran && (!first || rank(present_[next]) < *first) &&
        (own_asked || rank(present_[next]) < own)) {
      Job& job = present_[next++];
      const bool may_run = job.ends != kNever || !own_waits;
      run_or_wait(job, may_run && fits(cluster_->jobs[job.kind].hosts));
    } else if (own_is_before) {
      own_asked = true;
      const bool runs = fits(own_hosts_);
      if (runs && !own_runs_) own_since_ = now_;
      own_runs_ = runs;
      own_waits = !runs;
    } else if (first) {
      Arrivals& arrivals = arrivals_[kind];
      const OtherJob& job = cluster_->jobs[kind];
      if (own_waits || !fits(job.hosts)) {
        refused[kind] = true;
        continue;
      }
      Job begun{static_cast<std::uint32_t>(kind), arrivals.waiting.front(),
                from_seconds(job.runs.sample(arrivals.runs))};
      arrivals.waiting.pop_front();
      run_or_wait(begun, true);
      present_.push_back(begun);
    } else {
      return;
    }
  }
}

Time OtherJobs::go_on(Duration longest) {
  step();
  const Time then = now_;
  while (!own_runs_ && now_ < kLast && now_ - then < longest) step();
  return now_;
}

}  // namespace gauntlet
