#include "sim/telemetry/monitoring.hpp"

#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace gauntlet {

Monitoring::Monitoring(const World& world, Hosts& hosts, const Gang& gang, SimEngine& engine, Outbox& out)
    : world_(&world), hosts_(&hosts), gang_(&gang), engine_(&engine), out_(&out) {
  for (const FaultKind& kind : world.faults) line_names_.push_back(stream_name("symptom." + kind.name));
}

void Monitoring::reset(Seed seed, bool full) {
  seed_ = seed;
  const Seats& seats = hosts_->seats();
  reports_.emplace(*world_, seed, *engine_, *out_);
  victims_.emplace(*world_, seats, *engine_);
  lines_.emplace(*hosts_, *reports_);
  heartbeats_.emplace(*world_, seed, full, *engine_, *reports_, *victims_);
  signals_.emplace(full, *gang_, *engine_, *reports_);
  host_signals_.emplace(
      full, *world_, seed,
      [hosts = hosts_]() -> const StageTimings& { return hosts->size().stage_timings(); }, seats, *gang_,
      *engine_, *reports_);
}

bool Monitoring::watch(const Watch& watch) {
  // Hosts are silent each on their own, whoever they work for.
  const bool alone = watch.signal == Signal::heartbeat &&
                     (watch.who.subset == Scope::Subset::job || watch.first != kEachMember);
  const auto* silence = std::get_if<Silence>(&watch.until);
  const bool always =
      watch.signal == Signal::heartbeat && silence != nullptr &&
      silence->longest <= sum(world_->telemetry.heartbeat_period, world_->telemetry.heartbeat_jitter);
  const bool carried = world_->telemetry.carries[static_cast<std::size_t>(watch.signal)];
  if (alone || always || !carried) return false;
  switch (watch.signal) {
    case Signal::heartbeat:
    case Signal::process_exit:
      heartbeats_->watch(watch);
      return true;
    case Signal::log_line:
      lines_->watch(watch);
      return true;
    case Signal::step:
    case Signal::checkpoint_stall:
    case Signal::loss:
      signals_->watch(watch);
      return true;
    case Signal::forward_time:
    case Signal::backward_time:
    case Signal::traffic:
    case Signal::traffic_period:
      return host_signals_->watch(watch);
    case Signal::last_collective:
      return std::holds_alternative<Sample>(watch.until);
  }
  return false;
}

void Monitoring::unwatch(WatchId watch) {
  heartbeats_->unwatch(watch);
  signals_->unwatch(watch);
  host_signals_->unwatch(watch);
  lines_->unwatch(watch);
}

// --- faults ----------------------------------------------------------------------------------------------------------

void Monitoring::fault_began(const ActiveFault& fault) {
  for_each_host(fault.hosts, [&](HostId host) {
    if (symptoms_of(fault).heartbeat_lost) heartbeats_->silence(host);
    if (holds_heartbeats(fault)) heartbeats_->hold(host);
  });
}

void Monitoring::fault_ended(const ActiveFault& fault) {
  for_each_host(fault.hosts, [&](HostId host) {
    if (symptoms_of(fault).heartbeat_lost) heartbeats_->unsilence(host);
    if (holds_heartbeats(fault)) heartbeats_->release(host);
  });
}

void Monitoring::log_fault(ActiveFault& fault) {
  const Symptoms& symptoms = symptoms_of(fault);
  if (!symptoms.log) return;
  engine_->cancel(fault.line);
  Stream draws = stream_now(seed_, line_names_[fault.kind.value], engine_->now(), fault.component.index);
  if (symptoms.log_probability.value < 1 && draws.uniform() >= symptoms.log_probability.value) return;
  const Duration delay = from_seconds(symptoms.log_delay.sample(draws));
  // Of a failure domain, the first that carries the job.
  const HostId writer = hosts_->first_in_job(fault.hosts).value_or(fault.hosts.first);
  fault.line = engine_->after(delay, Priority::telemetry, LogLine{writer, *symptoms.log, symptoms.severity});
}

void Monitoring::found(HostId host, WatchId report) {
  Seen& seen = reports_->note(component(host));
  seen.watch = report;
  seen.value = 1;
}

// --- the job ---------------------------------------------------------------------------------------------------------

void Monitoring::before_change() {
  signals_->before_change();
  host_signals_->before_change();
}

void Monitoring::after_change() {
  signals_->after_change();
  host_signals_->after_change();
}

void Monitoring::loss_is(double deviations) {
  before_change();
  signals_->loss_is(deviations);
  after_change();
}

void Monitoring::training_began(double loss, const std::vector<SlowSeat>& slow) {
  signals_->loss_is(loss);
  signals_->began();
  host_signals_->began(slow);
}

void Monitoring::ranks_stopped() {
  signals_->gone();
  host_signals_->gone();
  heartbeats_->ranks_stopped();
  victims_->clear();
}

void Monitoring::ranks_exit(const HostRange& hosts, int code) {
  for_each_host(hosts, [&](HostId host) {
    if (hosts_->in_job(host)) heartbeats_->rank_exited(host, code);
  });
}

Time Monitoring::exit_heard(const HostRange& hosts) const {
  Time heard = kNever;
  for_each_host(hosts, [&](HostId host) {
    if (hosts_->in_job(host)) heard = std::min(heard, heartbeats_->exit_report_time(host));
  });
  return heard;
}

void Monitoring::victims_begin(const std::vector<std::uint32_t>& culprits, PatternId line, Time first) {
  lines_->stop_begins();
  victims_->begin(culprits, line, first);
}

void Monitoring::on(const AbortWave& event) {
  const bool more = victims_->on(event);
  lines_->abort(*victims_, event.hops, !more);
  heartbeats_->ranks_aborted();
  if (!more) heartbeats_->all_aborted(victims_->count());
}

void Monitoring::tell_last_collectives(const Watch& watch, const std::vector<std::uint32_t>& culprits) {
  if (culprits.empty()) return;
  const Seats& seats = hosts_->seats();
  for (std::uint32_t slot = 0; slot < seats.count(); ++slot) {
    const HostId host = seats.host(slot);
    const Scope& who = watch.who;
    if (who.subset == Scope::Subset::one && who.index != host.value) continue;
    if (who.subset == Scope::Subset::stage && who.stage != seats.stage_of(slot)) continue;
    if (std::binary_search(culprits.begin(), culprits.end(), slot) || !heartbeats_->audible(host)) continue;
    Seen& seen = reports_->send(host);
    seen.watch = watch.id;
    seen.value = static_cast<double>(seats.waits_in(culprits.front(), slot));
  }
}

}  // namespace gauntlet
