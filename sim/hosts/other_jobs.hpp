// Other jobs on the same cluster, under one scheduler with priorities and gangs, and when they leave this job no place.
//
// A job runs on all the hosts that it asks for or on none. Whenever one arrives or ends, places are given anew: first
// to those that run and have not for as long as `preempt_after`, then by priority, to those that run before those
// that wait, then in the order of their arrival. Who does not fit in what is left is preempted, or waits on, and
// keeps nobody from running who does fit. A job that was preempted has saved its work and goes on with the rest. This
// job was there first, and wants its hosts for ever: so when it has them follows from the others alone, whatever its
// own policies do, and how long it will be without them is known when they are taken. While it waits, nobody behind it
// begins.
#pragma once

#include "core/random/stream.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

namespace gauntlet {

class OtherJobs {
 public:
  /// `own_hosts`: what this job and its spares hold. `cluster` must outlive it.
  OtherJobs(const SharedCluster& cluster, std::uint32_t own_hosts, Seed seed);

  /// When the next other job arrives or ends, or one can be preempted; kNever where there are none.
  Time next_time() const;
  /// Goes on to then. Where that takes this job's hosts, on to when it has them again, or until `longest` has passed. Where it
  /// has gone to.
  Time go_on(Duration longest);

 private:
  /// One that has run, and runs or was preempted.
  struct Job {
    std::uint32_t kind;
    std::uint64_t number;  // of arrival
    Duration left;         // to run, when it began to last
    Time ends = kNever;    // while it runs ...
    Time since{};          // ... from then on
  };
  struct Arrivals {
    Stream gaps, runs;
    Time next;
    std::deque<std::uint64_t> waiting{};  // those that have not run yet, by number
  };
  /// Who asks first: the least.
  using Rank = std::tuple<int, std::int64_t, int, std::uint64_t>;
  Rank rank(bool runs, Time since, std::int64_t priority, std::uint64_t number) const;
  Rank rank(const Job& job) const;
  Time preemptible(Time since) const { return after(since, cluster_->preempt_after); }
  bool anyone_waits() const;
  void step();
  void give_places();
  void run_or_wait(Job& job, bool runs);

  const SharedCluster* cluster_;
  std::uint32_t own_hosts_;
  std::vector<Arrivals> arrivals_;  // by kind
  std::vector<Job> present_;
  bool own_runs_ = true;
  Time own_since_ = kStart;
  Time now_ = kStart;
  std::uint64_t arrived_ = 0;
};

}  // namespace gauntlet
