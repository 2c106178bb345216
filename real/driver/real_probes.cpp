// Probes of hosts: agents measure, and the driver, who has the samples of all hosts, judges.
#include "real/driver/real_cluster.hpp"
#include "real/probes/suite/judge_hosts.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

// Times what the scenario expects: a machine that does it all is busy.
constexpr int kProbeTimes = 10;

/// It ends in time to be answered for, so that a probe without an end fails its host and does not lose its agent.
ProbeTask task_of(const ProbeKind& kind, const ProbeMeasure& measure, Duration answers_within) {
  return {.probe = kind.name,
          .arguments = measure.command.arguments,
          .metric = measure.command.metric,
          .deadline = std::min(measure.deadline, kProbeTimes * kind.time + answers_within / 2)};
}

}  // namespace

void RealCluster::begin(OpenOrder& open, const Probe& probe) {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const bool meant =
        probe.who.subset == Scope::Subset::one ? probe.who.index == h : hosts_[h].state == HostState::in_job;
    if (meant) open.not_asked.push_back(HostId{h});
  }
  begin_probe(open);
}

/// With the agents that are being started again.
void RealCluster::begin_probe(OpenOrder& open) {
  if (waits_for_agents(open, {open.not_asked.begin(), open.not_asked.end()})) return;
  ask_to_probe(open);
  if (open.waiting.empty()) end_probe(open);
}

/// Hosts that cannot be asked fail the probe.
void RealCluster::ask_to_probe(OpenOrder& open) {
  while (!open.not_asked.empty() && (open.waiting.empty() || !platform_.hosts_share_machine())) {
    const HostId host = open.not_asked.front();
    open.not_asked.pop_front();
    if (!hosts_[host.value].link) {
      open.failing.insert(host.value);
      continue;
    }
    const ProbeKind& kind = world_->probes[std::get<Probe>(open.order.what).probe.value];
    const ProbeTask task = task_of(kind, measure_of(setup_.probes, kind.name), setup_.answers_within);
    open.waiting.insert(host.value);
    hosts_[host.value].link->run_probe(open.order.id, task);
    expect_answer(host, Debt::probe, open.order.id.value, kProbeTimes * kind.time);
  }
}

void RealCluster::on(HostId host, const AgentProbed& message) {
  hosts_[host.value].unpaid.erase({Debt::probe, message.order});
  OpenOrder* open = find(OrderId{message.order});
  if (open == nullptr || !open->waiting.contains(host.value)) return;
  open->samples[host.value] = message.sample;
  host_answered(*open, host);
}

/// All have answered, or never will. Each host that fails is reported under the probe's watch.
void RealCluster::end_probe(const OpenOrder& open) {
  const Probe& probe = std::get<Probe>(open.order.what);
  const ProbeKind& kind = world_->probes[probe.probe.value];
  std::set<std::uint32_t> failing = open.failing;
  for (const auto& [host, finding] :
       judge_hosts(kind.name, measure_of(setup_.probes, kind.name), open.samples)) {
    if (finding.verdict == ProbeVerdict::pass) continue;
    if (is_bad(finding.verdict)) failing.insert(host);
    platform_.say("host " + std::to_string(host) + ": probe " + kind.name + ": " +
                  std::string(gauntlet::name_of(finding.verdict)) +
                  (finding.why.empty() ? "" : ": " + finding.why));
  }
  for (const std::uint32_t host : failing)
    push(Seen{.watch = probe.report,
              .who = component(HostId{host}),
              .edge = Edge::sample,
              .sensed = now(),
              .value = 1,
              .more = 0});
  const HostId who = failing.empty() ? HostId{probe.who.index} : HostId{*failing.begin()};
  const ComponentId named = failing.empty() ? ComponentId{probe.who.kind, probe.who.index} : component(who);
  close(open.order.id, Status::done,
        Probed{named, failing.empty() ? Verdict::healthy : Verdict::faulty,
               static_cast<double>(failing.size())});
}

}  // namespace gauntlet
