// Watches: which samples there are, and what passes the filters behind the watches (core/watch.hpp, core/signal.hpp).
#include "core/contract.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::reference {

/// Scope: "all in service, those that a job holds, those that hold one of its pipeline stages, or one" (core/watch.hpp). A host
/// that is back from repair serves again once it was readmitted.
bool ReferenceCluster::concerns(const Scope& who, HostId id) const {
  switch (who.subset) {
    case Scope::Subset::all:
      return in_service(id);
    case Scope::Subset::job:
      return in_job(id);
    case Scope::Subset::one:
      return who.index == id.value && in_service(id);
    case Scope::Subset::stage:
      return false;
  }
  return false;
}

void ReferenceCluster::see(const Listening& by, ComponentId who, Edge edge, Time sensed, double value,
                           std::uint32_t more) {
  observe(
      Seen{.watch = by.watch.id, .who = who, .edge = edge, .sensed = sensed, .value = value, .more = more});
}

/// Reports all take as long, so that they arrive in order, and those of one instant together (sim/telemetry/reports.hpp).
void ReferenceCluster::see_later(const Listening& by, HostId id, double value, std::uint32_t more) {
  const Seen seen{.watch = by.watch.id,
                  .who = component(id),
                  .edge = Edge::sample,
                  .sensed = agenda_.now(),
                  .value = value,
                  .more = more};
  if (world_->telemetry.delay == Duration::zero()) return observe(seen);
  const Time arrives = after(agenda_.now(), world_->telemetry.delay);
  std::vector<Seen>& together = on_their_way_[arrives];
  together.push_back(seen);
  if (together.size() > 1) return;
  agenda_.at(arrives, Rank::telemetry, [this, arrives] {
    for (const Seen& each : on_their_way_[arrives]) observe(each);
    on_their_way_.erase(arrives);
  });
}

void ReferenceCluster::watch(const Watch& watch) {
  Listening& by = watches_[watch.id] =
      Listening{.watch = watch, .since = agenda_.now(), .number = ++watches_made_};
  if (watch.signal == Signal::heartbeat) {
    for (std::uint32_t h = 0; h < hosts_.size(); ++h)
      if (concerns(watch.who, HostId{h})) listen(by, HostId{h});
  } else if (watch.signal == Signal::last_collective) {
    tell_last_collectives(by);
  } else if (watch.who.kind == ComponentKind::job && sampling_) {
    start_filter(by, last_step_);
  }
}

/// Signal::last_collective: "asked for with Sample{1}; value: the Dimension of the collective in which its ranks wait; a host
/// that holds the others up answers nothing". Another replica waits in the data dimension, another stage in the pipeline, the
/// rest in the tensor dimension.
void ReferenceCluster::tell_last_collectives(const Listening& by) {
  std::set<std::uint32_t> holding;
  for (const Fault& fault : faults_)
    if (on_job(fault) && (stops_job(kind(fault).effect) || kind(fault).effect == Effect::stall))
      for (const std::uint32_t slot : slots_of(fault)) holding.insert(slot);
  if (holding.empty() || !(ranks_ == Ranks::stuck || (ranks_ == Ranks::up && paused_))) return;
  const Layout& layout = world_->job.layout;
  const Coordinates culprit = layout.coordinates(*holding.begin() * world_->inventory.gpus_per_host);
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) {
    if (!seats_[slot] || holding.contains(slot) || !concerns(by.watch.who, *seats_[slot])) continue;
    if (host(*seats_[slot]).silenced_by > 0 || host(*seats_[slot]).held_by > 0) continue;
    const Coordinates here = layout.coordinates(slot * world_->inventory.gpus_per_host);
    const Dimension waits = here.dp != culprit.dp   ? Dimension::data
                            : here.pp != culprit.pp ? Dimension::pipeline
                                                    : Dimension::tensor;
    see_later(by, *seats_[slot], static_cast<double>(waits), 0);
  }
}

void ReferenceCluster::unwatch(WatchId id) {
  const auto by = watches_.find(id);
  if (by == watches_.end()) return;
  agenda_.cancel(by->second.due);
  for (auto& [host, entry] : by->second.missing) agenda_.cancel(entry);
  watches_.erase(by);
}

// --- heartbeats ------------------------------------------------------------------------------------------------------
//
// "per host, one sample a period while its agent is up; runs for hosts in service" (core/signal.hpp). `Silence`: "reports once
// when samples stay away for longer, and when they return" (core/watch.hpp).

void ReferenceCluster::next_heartbeat(HostId id) {
  const Duration period = world_->telemetry.heartbeat_period;
  const Duration phase = tape_.phase(id);
  Time next = kStart + phase;
  if (agenda_.now() >= next) next += ((agenda_.now() - next) / period + 1) * period;
  host(id).beat = agenda_.at(next, Rank::heartbeat, [this, id] { heartbeat(id); });
}

/// When an exit of now will be heard, by the next heartbeat or alone (key telemetry.exit_delay), as far as is known now.
Time ReferenceCluster::next_heard(HostId id) {
  if (!in_service(id) || host(id).silenced_by > 0 || host(id).held_by > 0) return kNever;
  const Time beat = std::get<Time>(host(id).beat);
  const Time next = beat > agenda_.now() ? beat : beat + world_->telemetry.heartbeat_period;
  return std::min(next, after(agenda_.now(), world_->telemetry.exit_delay));
}

void ReferenceCluster::heartbeat(HostId id) {
  next_heartbeat(id);
  if (!in_service(id) || host(id).silenced_by > 0) return;
  if (host(id).held_by > 0)
    host(id).held = agenda_.now();
  else
    heartbeat_arrives(id, agenda_.now());
}

void ReferenceCluster::heartbeat_arrives(HostId id, Time sent) {
  host(id).heard = agenda_.now();
  for (auto& [number, by] : watches_) {
    const auto filter = by.heartbeats.find(id);
    if (filter == by.heartbeats.end()) continue;
    if (const auto edge = filter->second.on_sample(agenda_.now()))
      see(by, component(id), *edge, agenda_.now(), 0);
    expect_heartbeat(by, id);
  }
  tell_exit(id, sent);
}

/// Tampering::late_heartbeats: "the host's heartbeats wait until it ends"; Tampering::partition: nor can the driver be reached. What
/// waits is lost with the agent, and of several that come together the last says all.
void ReferenceCluster::heartbeats_are_let_go(const Fault& fault) {
  for (std::uint32_t i = 0; i < fault.hosts.count; ++i) {
    const HostId id{fault.hosts.first.value + i};
    if (--host(id).held_by > 0) continue;
    const std::optional<Time> sent = std::exchange(host(id).held, std::nullopt);
    if (sent && in_service(id) && host(id).silenced_by == 0) heartbeat_arrives(id, *sent);
  }
}

void ReferenceCluster::listen(Listening& by, HostId id) {
  const Host& to = host(id);
  const Time since = to.heard == kNever ? std::max(by.since, to.listened_since) : to.heard;
  by.heartbeats[id] = SilenceFilter(std::get<Silence>(by.watch.until), since);
  expect_heartbeat(by, id);
}

void ReferenceCluster::expect_heartbeat(Listening& by, HostId id) {
  agenda_.cancel(by.missing[id]);
  const WatchId number = by.watch.id;
  by.missing[id] = agenda_.at(by.heartbeats[id].deadline(), Rank::timer, [this, number, id] {
    Listening& listening = watches_.at(number);
    if (const auto edge = listening.heartbeats[id].on_deadline(agenda_.now()))
      see(listening, component(id), *edge, agenda_.now(), 0);
  });
}

/// Hosts that were evicted are not listened to until they were readmitted (core/watch.hpp: "all in service").
void ReferenceCluster::leaves_service(HostId id) {
  agenda_.cancel(host(id).beat);
  host(id).exit.reset();
  host(id).held.reset();
  for (auto& [number, by] : watches_) {
    agenda_.cancel(by.missing[id]);
    by.missing.erase(id);
    by.heartbeats.erase(id);
  }
}

void ReferenceCluster::enters_service(HostId id) {
  host(id).listened_since = agenda_.now();
  host(id).heard = kNever;
  next_heartbeat(id);
  for (auto& [number, by] : watches_)
    if (by.watch.signal == Signal::heartbeat && concerns(by.watch.who, id)) listen(by, id);
}

void ReferenceCluster::agent_is_back(const Fault& fault) {
  for (std::uint32_t i = 0; i < fault.hosts.count; ++i) {
    Host& each = host(HostId{fault.hosts.first.value + i});
    if (each.silenced_by > 0) --each.silenced_by;
  }
}

// --- exits -----------------------------------------------------------------------------------------------------------
//
// "per host, the exit of a rank, carried by the host's next heartbeat" (core/signal.hpp): the first that is sent after it.

void ReferenceCluster::rank_exits(HostId id, int code) {
  Host& of = host(id);
  if (of.exit || of.exit_told) return;
  of.exit = {agenda_.now(), code};
  ++exited_;
  if (world_->telemetry.exit_delay == kForever) return;
  agenda_.after(world_->telemetry.exit_delay, Rank::heartbeat, [this, id] {
    if (in_service(id) && host(id).silenced_by == 0 && host(id).held_by == 0) tell_exit(id, kStart);
  });
}

void ReferenceCluster::tell_exit(HostId id, Time sent) {
  Host& of = host(id);
  if (!of.exit ||
      (of.exit->first >= sent && after(of.exit->first, world_->telemetry.exit_delay) > agenda_.now()))
    return;
  const auto [at, code] = *of.exit;
  of.exit.reset();
  of.exit_told = true;
  for (auto& [number, by] : watches_) {
    if (by.watch.signal != Signal::process_exit || !concerns(by.watch.who, id)) continue;
    if (const auto* band = std::get_if<Outside>(&by.watch.until))
      if (code >= band->low && code <= band->high) continue;
    if (by.watch.first != kEachMember && by.told >= by.watch.first) continue;
    if (by.told++ == 0 || id < *by.lowest) by.lowest = id;
    see(by, component(id), Edge::sample, at, code);
  }
}

/// "the rest are counted once, a period after the last abort, from what the launcher knows" (docs/decisions.md, 2026-11-22,
/// "Exits travel with the first heartbeat sent after them"). They are told as more than the first of those that were listed.
void ReferenceCluster::all_have_exited() {
  for (auto& [number, by] : watches_) {
    if (by.watch.signal != Signal::process_exit || by.watch.first == kEachMember || by.told == 0) continue;
    if (exited_ > by.told)
      see(by, component(*by.lowest), Edge::sample, agenda_.now(), kAbortedByWatchdog, exited_ - by.told);
  }
}

/// "Ranks that were stopped on purpose are no news" (sim/telemetry/heartbeats.hpp).
void ReferenceCluster::forget_exits() {
  for (Host& each : hosts_) {
    each.exit.reset();
    each.exit_told = false;
  }
  exited_ = 0;
  for (auto& [number, by] : watches_)
    if (by.watch.signal == Signal::process_exit) by.told = 0;
}

// --- the job's signals -----------------------------------------------------------------------------------------------
//
// Signals::step, loss and checkpoint_stall come with a completed step or checkpoint, while the job's ranks run
// (core/signal.hpp).

/// "Filters over what ranks report start afresh whenever the job's training does" (core/watch.hpp).
void ReferenceCluster::filters_start_afresh() {
  sampling_ = true;
  for (auto& [number, by] : watches_)
    if (by.watch.who.kind == ComponentKind::job) start_filter(by, agenda_.now());
}

void ReferenceCluster::start_filter(Listening& by, Time since) {
  agenda_.cancel(by.due);
  if (const auto* silence = std::get_if<Silence>(&by.watch.until)) by.filter = SilenceFilter(*silence, since);
  if (const auto* band = std::get_if<Outside>(&by.watch.until)) by.filter = OutsideFilter(*band);
  // "the next `count` raw values, once": it counts on.
  if (const auto* count = std::get_if<Sample>(&by.watch.until); count != nullptr && !by.filter)
    by.filter = SampleFilter(*count);
  expect_sample(by);
}

/// Samples come after what machines do at the same time, but before what stops them from being taken.
void ReferenceCluster::sample(Signal signal, double value) {
  samples_.push_back({signal, value, watches_made_});
  if (samples_.size() == 1)
    sampled_ = agenda_.at(agenda_.now(), Rank::telemetry, [this] { report_samples(); });
}

void ReferenceCluster::report_samples() {
  agenda_.cancel(sampled_);
  for (const Sampled& each : std::exchange(samples_, {})) report_sample(each);
}

void ReferenceCluster::report_sample(const Sampled& what) {
  const auto [signal, value, watches] = what;
  for (auto& [number, by] : watches_) {
    if (by.watch.signal != signal || !by.filter || by.number > watches) continue;
    std::optional<Edge> edge;
    if (auto* silence = std::get_if<SilenceFilter>(&*by.filter)) edge = silence->on_sample(agenda_.now());
    if (auto* band = std::get_if<OutsideFilter>(&*by.filter)) edge = band->on_sample(value);
    if (auto* count = std::get_if<SampleFilter>(&*by.filter)) edge = count->on_sample(value);
    if (edge) see(by, component(JobId{}), *edge, agenda_.now(), value);
    expect_sample(by);
  }
}

void ReferenceCluster::expect_sample(Listening& by) {
  agenda_.cancel(by.due);
  const auto* silence = std::get_if<SilenceFilter>(&*by.filter);
  if (silence == nullptr || silence->deadline() == kNever) return;
  // Silences of one length begin together.
  by.due = agenda_.at(std::max(silence->deadline(), agenda_.now()), Rank::timer, [this] {
    for (auto& [each, listening] : watches_) {
      auto* missing = listening.filter ? std::get_if<SilenceFilter>(&*listening.filter) : nullptr;
      if (missing != nullptr && missing->on_deadline(agenda_.now()))
        see(listening, component(JobId{}), Edge::began, agenda_.now(), 0);
    }
  });
}

void ReferenceCluster::nothing_more_is_sampled() {
  sampling_ = false;
  for (auto& [number, by] : watches_) {
    if (by.watch.who.kind != ComponentKind::job) continue;
    agenda_.cancel(by.due);
    if (!std::holds_alternative<Sample>(by.watch.until)) by.filter.reset();
  }
}

}  // namespace gauntlet::reference
