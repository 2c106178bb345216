#include "tests/reference/tape.hpp"

#include "sim/sim_cluster.hpp"

#include <algorithm>

namespace gauntlet::reference {

Tape::Tape(const World& world, const TruthLog& truth, const Record& record, Phases phases)
    : phases_(std::move(phases)) {
  std::map<std::pair<FaultKindId, ComponentId>, Onset> present;
  for (const Truth& each : truth) {
    const auto key = std::pair(each.kind, each.component);
    const Onset onset{each.at, each.kind, each.component, each.orders};
    if (each.what == TruthKind::onset) {
      onsets_.push_back(onset);
      struck_.insert(onset);
      present[key] = onset;
    } else if (each.what == TruthKind::ended) {
      over_[present[key]] = {each.at, each.orders};
    }
  }

  std::map<OrderId, const Outcome*> outcomes;
  std::map<HostId, std::uint32_t> repairs;
  std::map<WatchId, PatternId> lines;
  for (const RecordedOrder& each : record.orders) {
    const auto* watch = std::get_if<Watch>(&each.order.what);
    const auto* match = watch == nullptr ? nullptr : std::get_if<Match>(&watch->until);
    if (match != nullptr && watch->signal == Signal::log_line) lines[watch->id] = match->pattern;
  }
  for (const Observed& seen : record.observations) {
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      outcomes[outcome->order] = outcome;
      took_[outcome->order] = outcome->took;
    }
    if (const auto* returned = std::get_if<HostReturned>(&seen.what))
      back_[{returned->host, repairs[returned->host]++}] = seen.at;
    if (const auto* report = std::get_if<Seen>(&seen.what);
        report != nullptr && lines.contains(report->watch))
      ++wrote_[{host_of(report->who), lines[report->watch], seen.at - world.telemetry.delay}];
  }

  std::size_t starts = 0, probes = 0;
  for (const RecordedOrder& each : record.orders) {
    const auto outcome = outcomes.find(each.order.id);
    if (std::holds_alternative<Start>(each.order.what)) {
      const std::size_t number = starts++;
      if (outcome == outcomes.end()) continue;
      if (const auto* loaded = std::get_if<Loaded>(&outcome->second->result))
        starts_[number] = {outcome->second->took, loaded->step};
    }
    if (const auto* probe = std::get_if<Probe>(&each.order.what)) {
      const std::size_t number = probes++;
      if (outcome == outcomes.end()) continue;
      const Time done = each.at + outcome->second->took;
      // The hosts that fail are reported just before the outcome.
      std::vector<HostId> failed;
      for (const Observed& seen : record.observations) {
        if (const auto* report = std::get_if<Seen>(&seen.what);
            report != nullptr && seen.at == done && report->watch == probe->report)
          failed.push_back(host_of(report->who));
        if (const auto* other = std::get_if<Outcome>(&seen.what); other != nullptr && seen.at == done) {
          if (other->order == each.order.id) break;
          if (std::holds_alternative<Probed>(other->result)) failed.clear();
        }
      }
      probes_[number] = std::move(failed);
    }
  }
}

bool Tape::struck(const Onset& onset) const { return struck_.contains(onset); }

std::optional<Tape::Over> Tape::over(const Onset& onset) const {
  const auto found = over_.find(onset);
  return found == over_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Time> Tape::back(HostId host, std::uint32_t repair) const {
  const auto found = back_.find({host, repair});
  return found == back_.end() ? std::nullopt : std::optional(found->second);
}

bool Tape::take_line(HostId host, PatternId line, Time at) {
  const auto found = wrote_.find({host, line, at});
  if (found == wrote_.end() || found->second == 0) return false;
  --found->second;
  return true;
}

std::optional<Tape::Began> Tape::start(std::size_t number) const {
  const auto found = starts_.find(number);
  return found == starts_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<HostId> Tape::failed_probe(std::size_t number) const {
  const auto found = probes_.find(number);
  return found == probes_.end() ? std::vector<HostId>{} : found->second;
}

std::optional<Duration> Tape::took(const Order& order) const {
  const auto found = took_.find(order.id);
  return found == took_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

/// Orders nothing but to be told of silent hosts.
class Listener final : public Policy {
 public:
  Listener(std::uint32_t hosts, Duration patience) : patience_(patience), heard_(hosts) {}
  void on(const Observed& seen, Orders& out) override {
    if (std::holds_alternative<Started>(seen.what))
      out.add(Watch{.id = WatchId{1},
                    .signal = Signal::heartbeat,
                    .who = Scope::all(ComponentKind::host),
                    .until = Silence{patience_}});
    if (const auto* report = std::get_if<Seen>(&seen.what))
      heard_[host_of(report->who).value] = seen.at - patience_ - kStart;
  }
  const std::vector<Duration>& last_heard() const { return heard_; }

 private:
  Duration patience_;
  std::vector<Duration> heard_;
};

}  // namespace

Phases listen_for_phases(const World& world, std::uint64_t seed) {
  const Duration period = world.telemetry.heartbeat_period;
  World silenced = world;
  silenced.probes.clear();
  FaultKind gone;
  gone.name = "gone";
  gone.effect = Effect::none;
  gone.symptoms.heartbeat_lost = true;
  for (std::uint32_t h = 0; h < world.inventory.hosts(); ++h) gone.trace.emplace_back(kStart + 2 * period, h);
  silenced.faults = {gone};
  silenced.job.planned_stops.clear();
  silenced.operators.clear();
  silenced.repair.by_cause.clear();
  SimCluster cluster(silenced);
  cluster.reset({.study = seed}, false);
  Listener listener(world.inventory.hosts(), 2 * period);
  run(cluster, listener, kStart + 5 * period);
  Phases phases;
  for (const Duration last : listener.last_heard()) phases.push_back(last % period);
  return phases;
}

}  // namespace gauntlet::reference
