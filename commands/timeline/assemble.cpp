#include "commands/timeline/assemble.hpp"

#include "commands/timeline/chain.hpp"
#include "commands/timeline/hosts.hpp"
#include "commands/timeline/plan.hpp"
#include "commands/timeline/training.hpp"

#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kWhat = "gauntlet timeline";

struct Counter {
  std::string name, member;
  std::vector<CountAt> values;
};

/// A run that is planned, and not written yet.
struct Planned {
  TracePlan plan;
  std::vector<Counter> counters;
  TimelineCounts counts;
  std::uint64_t events() const {
    std::uint64_t all = plan.events();
    for (const Counter& each : counters) all += each.values.size();
    return all;
  }
};

Planned plan_of(const TimelineRun& run) {
  Planned out;
  out.counts = {.title = run.title,
                .faults = 0,
                .observations = run.record.observations.size(),
                .orders = run.record.orders.size()};
  const Chain chain = add_chain(run, out.plan);
  out.counts.faults = chain.faults;
  if (run.logs) {
    DrawnTraining training = add_training(run, out.plan);
    out.counts.checkpoints = static_cast<std::uint64_t>(training.checkpoints);
    out.counts.checkpoints_each = training.checkpoints_each;
    out.counters.push_back({"steps", "completed", std::move(training.steps)});
  }
  HostCounts hosts = add_hosts(run, chain, out.plan);
  out.counters.push_back({"hosts", "that stand by", std::move(hosts.standing_by)});
  out.counters.push_back({"hosts", "in repair", std::move(hosts.in_repair)});
  return out;
}

}  // namespace

std::string timeline_begins() { return trace_begins(kWhat); }

Timeline timeline_of(const std::vector<TimelineRun>& runs) {
  Timeline out;
  std::vector<Planned> planned;
  for (const TimelineRun& each : runs) {
    planned.push_back(plan_of(each));
    out.runs.push_back(planned.back().counts);
    out.events += planned.back().events();
  }
  if (out.events > kMostTraceEvents) return out;
  TraceEvents events(kWhat, {{"version", GAUNTLET_VERSION}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto process = static_cast<std::uint32_t>(i + 1);
    events.name_process(process, runs[i].title);
    planned[i].plan.write(process, events);
    for (const Counter& counter : planned[i].counters)
      for (const CountAt& each : counter.values)
        events.add_count(process, counter.name, counter.member, each.at - kStart, each.value);
  }
  out.tracks = events.tracks();
  out.arrows = events.arrows();
  out.events = events.events();
  out.text = events.text();
  return out;
}

}  // namespace gauntlet
