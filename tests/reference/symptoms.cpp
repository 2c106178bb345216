// What of a fault shows: the silence of an agent, lines, exits, victims, the loss, and a person who notices.
#include "core/signal.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet::reference {

/// Symptoms in models/fault/fault.hpp.
void ReferenceCluster::show(FaultIt fault) {
  for (std::uint32_t i = 0; i < fault->hosts.count; ++i) {
    Host& of = host(HostId{fault->hosts.first.value + i});
    if (kind(*fault).symptoms.heartbeat_lost) {
      ++of.silenced_by;
      of.held.reset();
    }
    if (holds_heartbeats(*fault)) ++of.held_by;
  }
  show_again(fault);
}

/// With its power, or its agent, a host loses what is in its memory (docs/decisions.md, 2026-11-22, "What a tier holds goes with what
/// is gone"). "A fault that returns at a start writes a new line in place of the old one" (2026-11-23, "A restart ends whoever would
/// have written the line").
void ReferenceCluster::show_again(FaultIt fault) {
  const FaultKind& what = kind(*fault);
  const bool unpowered = what.effect == Effect::crash && (fault->component.kind == ComponentKind::rack ||
                                                          fault->component.kind == ComponentKind::power);
  if (what.symptoms.heartbeat_lost || unpowered) {
    for (std::uint32_t i = 0; i < fault->hosts.count; ++i)
      if (const auto slot = slot_of(HostId{fault->hosts.first.value + i})) lose_memory(*slot);
  }
  write_line(fault);
}

/// Key log_probability: "that it logs the line"; log_delay: "from the onset to the line". Where only chance says whether, the tape does.
void ReferenceCluster::write_line(FaultIt fault) {
  const Symptoms& symptoms = kind(*fault).symptoms;
  agenda_.cancel(fault->line);
  if (!symptoms.log || symptoms.log_probability.value == 0) return;
  const HostId id = line_host(*fault);
  const Time at = after(agenda_.now(), from_seconds(symptoms.log_delay.mean()));
  if (symptoms.log_probability.value < 1 && !tape_.take_line(id, *symptoms.log, at)) return;
  const PatternId pattern = *symptoms.log;
  const Severity severity = symptoms.severity;
  fault->line =
      agenda_.at(at, Rank::telemetry, [this, id, pattern, severity] { report_line(id, pattern, severity); });
}

/// The job's own faults show on the host in its first slot; those of a failure domain on its first host that carries the job.
HostId ReferenceCluster::line_host(const Fault& fault) const {
  for (std::uint32_t i = 0; i < fault.hosts.count; ++i)
    if (in_job(HostId{fault.hosts.first.value + i})) return HostId{fault.hosts.first.value + i};
  return fault.hosts.first;
}

/// Reports take telemetry.delay from the host to the driver (key telemetry.delay).
void ReferenceCluster::report_line(HostId id, PatternId pattern, Severity severity) {
  for (auto& [number, by] : watches_) {
    const auto* match = std::get_if<Match>(&by.watch.until);
    if (by.watch.signal != Signal::log_line || match == nullptr || match->pattern != pattern) continue;
    if (in_service(id) && concerns(by.watch.who, id)) see_later(by, id, static_cast<double>(severity), 0);
  }
}

// --- victims ---------------------------------------------------------------------------------------------------------

/// "Hops are counted over the layout (stages between, plus one for another replica)" (docs/decisions.md, 2026-11-22, "A fault shows
/// on everybody"); nobody aborts before the first hop. A host counts to the stage and the replica of its first rank.
std::uint32_t ReferenceCluster::hops(std::uint32_t from, std::uint32_t to) const {
  const Layout& layout = world_->job.layout;
  const Coordinates a = layout.coordinates(from * world_->inventory.gpus_per_host);
  const Coordinates b = layout.coordinates(to * world_->inventory.gpus_per_host);
  const std::uint32_t stages = a.pp > b.pp ? a.pp - b.pp : b.pp - a.pp;
  return std::max(1U, stages + (a.dp == b.dp ? 0U : 1U));
}

/// Whoever is gone, hangs or pauses is a culprit, and no victim; hops are counted from the first of them.
void ReferenceCluster::victims(PatternId line, Time first) {
  agenda_.cancel(wave_);
  for (auto& [number, by] : watches_)
    if (by.watch.signal == Signal::log_line) by.told = by.held = 0;
  std::set<std::uint32_t> holding;
  for (const Fault& fault : faults_)
    if (on_job(fault) && (stops_job(kind(fault).effect) || kind(fault).effect == Effect::stall))
      for (const std::uint32_t slot : slots_of(fault)) holding.insert(slot);
  const std::vector<std::uint32_t> culprits(holding.begin(), holding.end());
  victims_ = Victims{culprits, line, first, 1};
  const Layout& layout = world_->job.layout;
  const std::uint32_t stage = layout.coordinates(culprits.front() * world_->inventory.gpus_per_host).pp;
  victims_->last_hop = std::max(stage, layout.pp - 1 - stage) + 1;
  wave_ = agenda_.at(first, Rank::timer, [this] { abort_wave(1); });
}

/// The ranks so many hops away log the line and exit. Of a watch that lists only the first members, the rest are counted after the
/// last wave (core/watch.hpp).
void ReferenceCluster::abort_wave(std::uint32_t hop) {
  const Victims wave = *victims_;
  const bool last = hop == wave.last_hop;
  std::set<HostId> aborted;  // each tells of it for itself, in the order of hosts where at one time
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) {
    const bool culprit = std::find(wave.culprits.begin(), wave.culprits.end(), slot) != wave.culprits.end();
    if (culprit || !seats_[slot] || hops(wave.culprits.front(), slot) != hop) continue;
    aborted.insert(*seats_[slot]);
    for (auto& [number, by] : watches_) {
      const auto* match = std::get_if<Match>(&by.watch.until);
      if (by.watch.signal != Signal::log_line || match == nullptr || match->pattern != wave.line) continue;
      if (!concerns(by.watch.who, *seats_[slot])) continue;
      if (by.watch.first == kEachMember || by.told < by.watch.first) {
        ++by.told;
        see_later(by, *seats_[slot], static_cast<double>(Severity::error), 0);
      } else {
        if (by.held++ == 0) by.first_held = seats_[slot];
      }
    }
  }
  for (const HostId id : aborted) rank_exits(id, kAbortedByWatchdog);
  if (!last) {
    wave_ = agenda_.at(after(wave.first, hop * world_->telemetry.abort_hop), Rank::timer,
                       [this, hop] { abort_wave(hop + 1); });
    return;
  }
  for (auto& [number, by] : watches_) {
    if (by.held > 0 && by.watch.signal == Signal::log_line)
      see_later(by, *by.first_held, static_cast<double>(Severity::error), by.held - 1);
    if (by.watch.signal == Signal::log_line) by.told = by.held = 0;
  }
  // Every rank has aborted: once each host has had a heartbeat to say so, the exits that were not listed are counted.
  burst_ = agenda_.after(world_->telemetry.heartbeat_period + world_->telemetry.heartbeat_jitter, Rank::timer,
                         [this] { all_have_exited(); });
}

void ReferenceCluster::no_victims() {
  agenda_.cancel(wave_);
  agenda_.cancel(burst_);
  victims_.reset();
}

/// Symptoms::loss: "Signal::loss while it lasts".
double ReferenceCluster::loss() const {
  double worst = 0;
  for (const Fault& fault : faults_) {
    const double here = kind(fault).symptoms.loss;
    if (here == 0 || !on_job(fault)) continue;
    if (std::isnan(here)) return here;
    worst = std::max(worst, here);
  }
  return worst;
}

// --- a person who notices --------------------------------------------------------------------------------------------

/// Key people.notice: "until a person sees unasked that the job stands still, or that no start succeeds".
void ReferenceCluster::stands_still() {
  ranks_ = Ranks::stuck;
  agenda_.cancel(notice_);
  notice_ =
      agenda_.after(from_seconds(world_->people.notice.mean()), Rank::world, [this] { observe(Noticed{}); });
}

void ReferenceCluster::starts_in_vain() {
  if (agenda_.planned(start_notice_)) return;
  start_notice_ =
      agenda_.after(from_seconds(world_->people.notice.mean()), Rank::world, [this] { observe(Noticed{}); });
}

void ReferenceCluster::nobody_notices() { agenda_.cancel(notice_); }

}  // namespace gauntlet::reference
