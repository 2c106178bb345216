// Probes of hosts: agents measure, and the driver, who has the samples of all hosts, judges.
#include "real/driver/real_cluster.hpp"
#include "real/probes/suite/judge_hosts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

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

bool is_of_one(const Probe& probe) { return probe.who.subset == Scope::Subset::one; }

}  // namespace

void RealCluster::begin(OpenOrder& open, const Probe& probe) {
  open.turns = turns_of(probe);
  begin_probe(open);
}

/// Each host alone; for a probe of pairs, neighbours, or the one host with who can tell whether it is bad.
std::deque<ProbeTurn> RealCluster::turns_of(const Probe& probe) const {
  const bool of_one = is_of_one(probe);
  std::vector<std::uint32_t> in_job;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h)
    if (hosts_[h].state == HostState::in_job) in_job.push_back(h);
  std::deque<ProbeTurn> turns;
  const std::string& name = world_->probes[probe.probe.value].name;
  if (!needs_neighbour(name, measure_of(setup_.probes, name))) {
    for (const std::uint32_t host : of_one ? std::vector{probe.who.index} : in_job)
      turns.push_back({HostId{host}, std::nullopt});
    return turns;
  }
  if (!of_one) {
    for (const auto& [host, neighbour] : first_round(in_job))
      turns.push_back({HostId{host}, HostId{neighbour}});
    return turns;
  }
  std::set<std::uint32_t> taken;
  for (const auto& [id, open] : open_) {
    for (const ProbeTurn& turn : open.turns)
      if (turn.neighbour) taken.insert(turn.neighbour->value);
    for (const HostPair& pair : open.pairs) taken.insert(pair.second);
  }
  const auto proven = proven_.find(probe.probe.value);
  for (const std::uint32_t partner :
       partners_of(probe.who.index,
                   proven == proven_.end() ? std::set<std::uint32_t>{} : proven->second.hosts, in_job, taken))
    turns.push_back({HostId{probe.who.index}, HostId{partner}});
  return turns;
}

/// With the agents that are being started again.
void RealCluster::begin_probe(OpenOrder& open) {
  std::vector<HostId> hosts;
  for (const ProbeTurn& turn : open.turns) {
    hosts.push_back(turn.host);
    if (turn.neighbour) hosts.push_back(*turn.neighbour);
  }
  if (waits_for_agents(open, hosts)) return;
  open.looks = 1;
  ask_to_probe(open);
  if (open.waiting.empty() && open.turns.empty()) end_probe(open);
}

/// A host runs one probe at a time, and so does a machine that several hosts share: probes would measure each other.
bool RealCluster::is_probed(HostId host) const {
  return std::any_of(open_.begin(), open_.end(), [&](const auto& each) {
    const OpenOrder& open = each.second;
    return std::holds_alternative<Probe>(open.order.what) &&
           (platform_.hosts_share_machine() ? !open.waiting.empty() : open.waiting.contains(host.value));
  });
}

/// Of all orders to run that probe.
std::size_t RealCluster::turns_under_way(ProbeId probe) const {
  std::size_t turns = 0;
  for (const auto& [number, open] : open_) {
    const auto* what = std::get_if<Probe>(&open.order.what);
    if (what == nullptr || what->probe != probe) continue;
    const std::size_t hosts = open.pairs.empty() ? 1 : 2;
    turns += (open.waiting.size() + hosts - 1) / hosts;
  }
  return turns;
}

/// In any order, as far as the hosts of a turn are free, and as many at once as the probe allows.
void RealCluster::ask_to_probe(OpenOrder& open) {
  std::deque<ProbeTurn> later;
  const ProbeId probe = std::get<Probe>(open.order.what).probe;
  const std::uint32_t limit = world_->probes[probe.value].at_once;
  const std::size_t at_once = limit > 0 ? limit : std::numeric_limits<std::size_t>::max();
  for (const ProbeTurn& turn : std::exchange(open.turns, {})) {
    if (is_probed(turn.host) || (turn.neighbour && is_probed(*turn.neighbour)) ||
        turns_under_way(probe) >= at_once)
      later.push_back(turn);
    else
      take_turn(open, turn);
  }
  open.turns = std::move(later);
}

/// Hosts that cannot be asked fail the probe.
void RealCluster::take_turn(OpenOrder& open, const ProbeTurn& turn) {
  const auto is_there = [this](HostId host) { return hosts_[host.value].link != nullptr; };
  if (!is_there(turn.host)) open.failing.insert(turn.host.value);
  if (turn.neighbour && !is_there(*turn.neighbour)) open.failing.insert(turn.neighbour->value);
  if (!is_there(turn.host) || (turn.neighbour && !is_there(*turn.neighbour))) return;
  const ProbeKind& kind = world_->probes[std::get<Probe>(open.order.what).probe.value];
  ProbeTask task = task_of(kind, measure_of(setup_.probes, kind.name), setup_.answers_within);
  const auto ask = [&](HostId host) {
    open.waiting.insert(host.value);
    hosts_[host.value].link->run_probe(open.order.id, task);
    expect_answer(host, Debt::probe, open.order.id.value, kProbeTimes * kind.time);
  };
  if (turn.neighbour) {
    const MeetingPlace place = platform_.meeting_place(name_of(*turn.neighbour));
    task.link =
        ProbeLink{.listens = true, .addresses = {{place.address, place.port}}, .secret = place.secret};
    open.listening.insert(turn.neighbour->value);
    open.pairs.emplace_back(turn.host.value, turn.neighbour->value);
    ask(*turn.neighbour);
    task.link->listens = false;
  }
  ask(turn.host);
}

/// A turn is over: that may end its order, and others may have waited for its hosts.
void RealCluster::probe_next() {
  for (const OrderId order : open_orders<Probe>()) {
    OpenOrder* open = find(order);
    if (open == nullptr || open->looks == 0) continue;
    ask_to_probe(*open);
    if (open->waiting.empty() && open->turns.empty()) end_probe(*open);
  }
}

void RealCluster::on(HostId host, const AgentProbed& message) {
  hosts_[host.value].unpaid.erase({Debt::probe, message.order});
  OpenOrder* open = find(OrderId{message.order});
  if (open == nullptr || !open->waiting.contains(host.value)) return;
  if (!open->listening.contains(host.value)) {
    ProbeSample sample = message.sample;
    const auto turn = std::find_if(open->pairs.rbegin(), open->pairs.rend(),
                                   [host](const HostPair& pair) { return pair.first == host.value; });
    for (PartSample& part : sample.parts) {
      if (turn == open->pairs.rend()) break;
      part.neighbour = "host " + std::to_string(turn->second);
      part.part += ", " + part.neighbour;
    }
    add_repetitions(open->samples[host.value], sample);
  }
  host_answered(*open, host);
}

/// Of the hosts that were asked alone, or that measured a link. A pair is judged as one host; so is a suspect beside a proven neighbour.
std::map<std::uint32_t, ProbeFinding> RealCluster::findings_of(const OpenOrder& open) const {
  const Probe& probe = std::get<Probe>(open.order.what);
  const std::string& name = world_->probes[probe.probe.value].name;
  const auto found = proven_.find(probe.probe.value);
  const ProvenHosts proven = found == proven_.end() || !is_of_one(probe) ? ProvenHosts{} : found->second;
  std::map<std::uint32_t, ProbeSample> samples = open.samples;
  for (const auto& [host, neighbour] : open.pairs)
    for (PartSample& part : samples[host].parts)
      if (!is_of_one(probe) || proven.hosts.contains(neighbour)) part.neighbour.clear();
  return judge_hosts(name, measure_of(setup_.probes, name), std::move(samples), proven.reports);
}

/// After a probe of all pairs: for those that look at its suspects one by one.
void RealCluster::note_proven(const OpenOrder& open, const std::map<std::uint32_t, ProbeFinding>& findings) {
  const Probe& probe = std::get<Probe>(open.order.what);
  if (is_of_one(probe) || open.pairs.empty()) return;
  ProvenHosts proven;
  std::vector<PairResult> results;
  for (const HostPair& pair : open.pairs) {
    const auto finding = findings.find(pair.first);
    const bool passed = finding != findings.end() && finding->second.metric &&
                        !is_bad(finding->second.verdict) && !open.failing.contains(pair.first) &&
                        !open.failing.contains(pair.second);
    results.push_back({pair, !passed});
    if (passed)
      proven.reports.push_back(
          {.metrics = {{world_->probes[probe.probe.value].name, *finding->second.metric}}, .facts = {}});
  }
  proven.hosts = proven_hosts(results);
  proven_[probe.probe.value] = std::move(proven);
}

/// Hosts that are worse than their peers have further turns; false where nobody has.
bool RealCluster::looks_again(OpenOrder& open) {
  if (open.looks >= kLooksAtSuspects) return false;
  ++open.looks;
  for (const auto& [host, finding] : findings_of(open)) {
    if (!may_be_cleared(finding)) continue;
    std::set<HostPair> pairs;
    for (const HostPair& pair : open.pairs)
      if (pair.first == host) pairs.insert(pair);
    for (const auto& [measures, neighbour] : pairs)
      open.turns.push_back({HostId{measures}, HostId{neighbour}});
    if (pairs.empty()) open.turns.push_back({HostId{host}, std::nullopt});
  }
  ask_to_probe(open);
  return !open.turns.empty() || !open.waiting.empty();
}

/// All have answered, or never will. Each host that fails is reported under the probe's watch.
void RealCluster::end_probe(OpenOrder& open) {
  if (looks_again(open)) return;
  const Probe& probe = std::get<Probe>(open.order.what);
  const ProbeKind& kind = world_->probes[probe.probe.value];
  std::set<std::uint32_t> failing = open.failing;
  const auto findings = findings_of(open);
  note_proven(open, findings);
  for (const auto& [host, finding] : findings) {
    if (finding.verdict == ProbeVerdict::pass) continue;
    std::set<std::uint32_t> neighbours;
    for (const auto& [measures, neighbour] : open.pairs)
      if (measures == host) neighbours.insert(neighbour);
    if (is_bad(finding.verdict)) {
      failing.insert(host);
      if (!is_of_one(probe)) failing.insert(neighbours.begin(), neighbours.end());
    }
    std::string named = "host " + std::to_string(host);
    for (const std::uint32_t neighbour : neighbours) named += " with host " + std::to_string(neighbour);
    platform_.say(named + ": probe " + kind.name + ": " + std::string(gauntlet::name_of(finding.verdict)) +
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
