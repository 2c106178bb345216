#include "sim/telemetry/heartbeats.hpp"

#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

Heartbeats::Heartbeats(const World& world, Seed seed, bool full, SimEngine& engine, Reports& out,
                       const AbortTimes& aborts)
    : world_(&world),
      seed_(seed),
      full_(full),
      engine_(&engine),
      out_(&out),
      times_(world, seed),
      tracked_(world.inventory.hosts()),
      aborts_(&aborts),
      leaving_(times_, engine),
      told_(world.inventory.hosts()) {
  if (world.telemetry.gap_mtbf > Duration::zero()) {
    gaps_.emplace(world.telemetry.gap_mtbf, seed, stream_name("heartbeat.gap"), world.inventory);
    engine_->at(gaps_->next(), Priority::world, GapBegins{});
  }
  if (full_) start_full();
}

// --- who is listened to --------------------------------------------------------------------------------------------

Time Heartbeats::to_come() const {
  return engine_->now() + Duration(engine_->reached(Priority::heartbeat) ? 1 : 0);
}

bool Heartbeats::audible(HostId host) const {
  const Tracked* tracked = tracked_.find(host);
  return tracked == nullptr || (!tracked->silent() && tracked->in_service);
}

bool Heartbeats::concerns(const Scope& who, HostId host) const {
  if (who.kind != ComponentKind::host) return false;
  return who.subset != Scope::Subset::one || who.index == host.value;
}

void Heartbeats::rearm(HostId host, Listening& listening) {
  const Time deadline = std::max(listening.filter.deadline(), engine_->now());
  engine_->set(listening.missing, deadline, Priority::timer, HeartbeatMissing{host, listening.watch});
}

/// `last`: when it was heard last, if it ever was.
void Heartbeats::listen(HostId host, const SilenceWatch& watch, Time since, std::optional<Time> last) {
  std::vector<Listening>& listening = tracked_[host].listening;
  const bool heard = last && *last >= since;
  listening.push_back({watch.id, SilenceFilter(watch.limit, heard ? *last : since), {}, {}});
  if (!heard) listening.back().unheard = since > watch.since ? tracked_[host].entered : 0;
  rearm(host, listening.back());
}

std::vector<HostId> Heartbeats::listened_to() const {
  std::vector<HostId> hosts;
  if (full_) {
    for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h) {
      const Tracked* tracked = tracked_.find(HostId{h});
      if (tracked == nullptr || tracked->in_service) hosts.push_back(HostId{h});
    }
    return hosts;
  }
  for (const auto& [host, tracked] : tracked_) {
    const bool heard = !tracked.silent() && !engine_->pending(tracked.back);
    if (tracked.in_service && !heard) hosts.push_back(host);
  }
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

void Heartbeats::forget(Tracked& tracked) {
  for (Listening& each : tracked.listening) engine_->cancel(each.missing);
  tracked.listening.clear();
}

void Heartbeats::start_full() {
  const Time now = engine_->now();
  for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h) {
    const HeartbeatTimes::Beat beat = times_.first_from(HostId{h}, now);
    engine_->at(beat.arrival, Priority::heartbeat, HeartbeatDue{HostId{h}, beat.number});
  }
}

void Heartbeats::watch(const Watch& watch) {
  if (watch.signal == Signal::process_exit) {
    exit_watches_.push_back(
        {.id = watch.id, .who = watch.who, .since = engine_->now(), .first = watch.first, .harmless = {}});
    if (const auto* band = std::get_if<Outside>(&watch.until)) exit_watches_.back().harmless = *band;
    if (stopped_ && !full_) follow_first_aborts(kStart);
  } else {
    expect(watch.signal == Signal::heartbeat && std::holds_alternative<Silence>(watch.until),
           "heartbeats are watched for silence");
    const SilenceWatch added{watch.id, std::get<Silence>(watch.until), watch.who, engine_->now()};
    expect(added.limit.longest > sum(world_->telemetry.heartbeat_period, world_->telemetry.heartbeat_jitter),
           "a silence is longer than a heartbeat's period and lateness");
    silence_watches_.push_back(added);
    for (const HostId host : listened_to()) {
      if (concerns(added.who, host)) listen(host, added, added.since);
    }
  }
}

void Heartbeats::unwatch(WatchId watch) {
  std::erase_if(exit_watches_, [&](const ExitWatch& each) { return each.id == watch; });
  if (std::erase_if(silence_watches_, [&](const SilenceWatch& each) { return each.id == watch; }) == 0)
    return;
  for (auto& [host, tracked] : tracked_) {
    std::erase_if(tracked.listening, [&](Listening& each) {
      if (each.watch != watch) return false;
      engine_->cancel(each.missing);
      return true;
    });
  }
}

void Heartbeats::report(WatchId watch, HostId host, Edge edge, double value) {
  Seen& seen = out_->note(component(host));
  seen.watch = watch;
  seen.edge = edge;
  seen.value = value;
}

// --- silence and service -------------------------------------------------------------------------------------------

void Heartbeats::silence(HostId host) {
  Tracked& tracked = tracked_[host];
  const bool heard = !tracked.silent();
  ++tracked.silenced_by;
  if (heard) fall_silent(host);
}

void Heartbeats::unsilence(HostId host) {
  Tracked& tracked = tracked_[host];
  expect(tracked.silenced_by > 0, "only a silenced host is unsilenced");
  if (--tracked.silenced_by > 0) return;
  tracked.held_since = to_come();
  if (!tracked.silent()) be_heard_again(host);
}

void Heartbeats::hold(HostId host) {
  Tracked& tracked = tracked_[host];
  const bool heard = !tracked.silent();
  if (heard) tracked.held_since = to_come();
  ++tracked.held_by;
  if (heard) fall_silent(host);
}

void Heartbeats::release(HostId host) {
  Tracked& tracked = tracked_[host];
  expect(tracked.held_by > 0, "only what is held back is released");
  --tracked.held_by;
  if (tracked.silent() || !tracked.in_service) return;
  const std::uint64_t next = times_.first_from(host, to_come()).number;
  if (next == 0 || times_.arrival(host, next - 1) < tracked.held_since) return be_heard_again(host);
  arrived(host, times_.sent(host, next - 1));
  tracked.released = engine_->now();
  if (!full_) forget(tracked);
}

void Heartbeats::fall_silent(HostId host) {
  Tracked& tracked = tracked_[host];
  if (!tracked.in_service) return;
  engine_->cancel(tracked.back);
  const auto is_host = [&](const Followed& each) { return each.host == host; };
  if (std::any_of(followed_.begin(), followed_.end(), is_host))
    follow_first_aborts(kStart);  // another takes its place
  if (full_ || !tracked.listening.empty())
    return;  // with some: it was about to be heard again, and still was not
  const std::optional<Time> last = std::max(times_.last_arrival_before(host, to_come()), tracked.released);
  for (const SilenceWatch& watch : silence_watches_) {
    if (!concerns(watch.who, host)) continue;
    listen(host, watch, std::max(watch.since, tracked.service_since), last);
  }
}

void Heartbeats::be_heard_again(HostId host) {
  Tracked& tracked = tracked_[host];
  if (!tracked.in_service || full_) return;
  tracked.back =
      engine_->at(times_.first_from(host, to_come()).arrival, Priority::heartbeat, HeartbeatBack{host});
}

void Heartbeats::leave_service(HostId host) {
  Tracked& tracked = tracked_[host];
  tracked.in_service = false;
  tracked.exit.reset();
  engine_->cancel(tracked.back);
  leaving_.forget(host);
  forget(tracked);
}

void Heartbeats::enter_service(HostId host) {
  Tracked& tracked = tracked_[host];
  tracked.in_service = true;
  tracked.service_since = engine_->now();
  tracked.entered = ++entries_;
  tracked.held_since = to_come();
  if (!full_ && !tracked.silent()) return;
  for (const SilenceWatch& watch : silence_watches_) {
    if (concerns(watch.who, host)) listen(host, watch, engine_->now());
  }
}

void Heartbeats::on(const HeartbeatMissing& event) {
  std::vector<Listening>& listening = tracked_[event.host].listening;
  const auto unheard = std::find_if(listening.begin(), listening.end(), [&](const Listening& each) {
    return each.watch == event.watch && each.unheard;
  });
  if (unheard != listening.end() && !full_) {
    // Hosts that were never heard are missed at one time. They are reported in the order in which they entered service, as with
    // full telemetry, and not in the order in which they fell silent.
    if (const auto first = first_unheard(); first && *first != event.host) {
      rearm(event.host, *unheard);
      return missed(*first, {});
    }
  }
  missed(event.host, event.watch);
}

/// The first of the hosts that are missed now and were never heard since the driver listens to them.
std::optional<HostId> Heartbeats::first_unheard() const {
  std::optional<std::pair<std::uint64_t, HostId>> first;
  for (const auto& [host, tracked] : tracked_) {
    for (const Listening& each : tracked.listening) {
      if (!each.unheard || each.filter.deadline() > engine_->now()) continue;
      const std::pair found(*each.unheard, host);
      if (!first || found < *first) first = found;
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
}

/// Every watch whose time has come, in their order, however their timers came about.
void Heartbeats::missed(HostId host, WatchId by) {
  for (Listening& each : tracked_[host].listening) {
    if (each.filter.on_deadline(engine_->now())) {
      report(each.watch, host, Edge::began, 0);
    } else if (each.watch == by) {
      rearm(host, each);
    }
  }
}

void Heartbeats::arrived(HostId host, Time sent) {
  if (tracked_.find(host) != nullptr) {
    for (Listening& each : tracked_[host].listening) {
      if (const auto edge = each.filter.on_sample(engine_->now())) {
        report(each.watch, host, *edge, 0);
        if (full_) rearm(host, each);
      }
    }
  }
  if (!stopped_) return;
  const auto exit = exit_of(host);
  if (!exit) return;
  if (exit->at < sent || times_.exit_alone(exit->at) <= engine_->now()) return pass_exit(host, *exit);
  if (!full_) engine_->at(times_.exit_arrival(host, exit->at), Priority::heartbeat, ExitReported{host});
}

void Heartbeats::on(const HeartbeatBack& event) {
  const HeartbeatTimes::Beat beat = times_.first_from(event.host, engine_->now());
  arrived(event.host, times_.sent(event.host, beat.number));
  forget(tracked_[event.host]);
}

void Heartbeats::on(const HeartbeatDue& event) {
  if (audible(event.host)) arrived(event.host, times_.sent(event.host, event.number));
  const std::uint64_t next = event.number + 1;
  engine_->at(times_.arrival(event.host, next), Priority::heartbeat, HeartbeatDue{event.host, next});
}

// --- exits ---------------------------------------------------------------------------------------------------------

Time Heartbeats::exit_report_time(HostId host) const {
  return audible(host) ? times_.exit_arrival(host, engine_->now()) : kNever;
}

/// The exit that the host has not been heard of yet.
std::optional<Heartbeats::Exit> Heartbeats::exit_of(HostId host) const {
  if (told_.contains(host)) return std::nullopt;
  if (const Tracked* tracked = tracked_.find(host); tracked != nullptr && tracked->exit) return tracked->exit;
  if (const Time at = aborts_->aborted_at(host); at != kNever) return Exit{at, kAbortedByWatchdog};
  return std::nullopt;
}

void Heartbeats::rank_exited(HostId host, int code) {
  Tracked& tracked = tracked_[host];
  if (tracked.exit || aborts_->aborted_at(host) != kNever) return;  // its ranks are gone already
  stopped_ = true;
  tracked.exit = Exit{engine_->now(), code};
  exited_.push_back(host);
  if (full_) engine_->at(times_.exit_alone(engine_->now()), Priority::heartbeat, ExitReported{host});
  if (full_ || tracked.silent() || !tracked.in_service) return;
  leaving_.add(host);
}

void Heartbeats::ranks_aborted() {
  stopped_ = true;
  if (full_)
    tell_aborts_of_now();
  else
    follow_first_aborts(engine_->now());
}

/// With full telemetry: of every host, beside its heartbeats.
void Heartbeats::tell_aborts_of_now() {
  const Time now = engine_->now();
  for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h)
    if (aborts_->aborted_at(HostId{h}) == now)
      engine_->at(times_.exit_alone(now), Priority::heartbeat, ExitReported{HostId{h}});
}

/// Of the hosts whose ranks aborted at `since` or later. Of those that aborted before, the first are followed already.
void Heartbeats::follow_first_aborts(Time since) {
  if (since == kStart) {
    for (Followed& each : followed_) engine_->cancel(each.report);
    followed_.clear();
  }
  for (const ExitWatch& watch : exit_watches_) {
    if (watch.told < watch.first && watch.wants(kAbortedByWatchdog)) follow_first_aborts(watch, since);
  }
}

/// Finds the hosts whose aborts will be heard of first, as many as may still be listed, in the order in which their
/// heartbeats are sent: none that is sent later than an arrival can arrive before it. Where exits are told without heartbeats, that order
/// ends nothing.
void Heartbeats::follow_first_aborts(const ExitWatch& watch, Time since) {
  const std::size_t wanted = watch.first - watch.told;
  const Time now = engine_->now();
  const Time aborted_from = std::max(watch.since, since);
  const bool by_heartbeats = world_->telemetry.exit_delay == kForever;
  std::vector<Candidate>& best = first_aborts_;  // a heap, the latest first
  best.clear();
  const auto consider = [&](HostId host) {
    const Time aborted = aborts_->aborted_at(host);
    if (aborted == kNever || aborted < aborted_from) return;
    if (!concerns(watch.who, host) || !audible(host) || told_.contains(host)) return;
    if (const Tracked* tracked = tracked_.find(host); tracked != nullptr && tracked->exit)
      return;  // a culprit
    const Candidate candidate{times_.exit_arrival(host, aborted), host};
    if (candidate.arrival < now) return;  // it was lost on its way
    if (best.size() == wanted) {
      if (!(candidate < best.front())) return;
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    best.push_back(candidate);
    std::push_heap(best.begin(), best.end());
  };
  // What was sent before an abort does not tell of it, but what was sent after an earlier one may be on its way.
  const Time from = std::max({kStart, since, now - world_->telemetry.heartbeat_jitter});
  times_.in_order(from, [&](HostId host, Time sent) {
    if (by_heartbeats && best.size() == wanted && sent > best.front().arrival) return false;
    consider(host);
    return true;
  });
  std::sort_heap(best.begin(), best.end());
  for (const Candidate& each : best)
    followed_.push_back({each.host, engine_->at(each.arrival, Priority::heartbeat, ExitReported{each.host})});
}

void Heartbeats::all_aborted(std::uint32_t hosts) {
  if (exit_watches_.empty()) return;
  aborted_hosts_ = hosts;
  exit_burst_ = engine_->after(sum(world_->telemetry.heartbeat_period, world_->telemetry.heartbeat_jitter),
                               Priority::timer, ExitBurstEnds{});
}

void Heartbeats::on(const ExitBurstEnds&) {
  const auto gone = aborted_hosts_ + static_cast<std::uint32_t>(exited_.size());
  for (ExitWatch& watch : exit_watches_) {
    if (watch.first == kEachMember || watch.told == 0 || watch.told >= gone) continue;
    if (!watch.wants(kAbortedByWatchdog)) continue;
    Seen& seen = out_->note(component(watch.lowest));
    seen.watch = watch.id;
    seen.value = kAbortedByWatchdog;
    seen.more = gone - watch.told;
    watch.told = watch.first;  // the others have been counted
  }
}

void Heartbeats::ranks_stopped() {
  stopped_ = false;
  for (const HostId host : exited_) tracked_[host].exit.reset();
  exited_.clear();
  leaving_.clear();
  for (Followed& each : followed_) engine_->cancel(each.report);
  followed_.clear();
  told_.clear();
  for (ExitWatch& watch : exit_watches_) watch.told = 0;
  engine_->cancel(exit_burst_);
}

void Heartbeats::on(const ExitReported& event) {
  if (leaving_.is_next(event)) leaving_.forget(event.host);
  if (!stopped_ || !audible(event.host)) return;
  const auto exit = exit_of(event.host);
  if (exit && times_.exit_arrival(event.host, exit->at) <= engine_->now()) pass_exit(event.host, *exit);
}

void Heartbeats::pass_exit(HostId host, const Exit& exit) {
  told_.insert(host);
  for (ExitWatch& watch : exit_watches_) {
    const bool wanted = concerns(watch.who, host) && watch.wants(exit.code);
    if (!wanted || exit.at < watch.since || watch.told >= watch.first) continue;
    ++watch.told;
    watch.lowest = watch.told == 1 ? host : std::min(watch.lowest, host);
    Seen& seen = out_->note(component(host));
    seen.watch = watch.id;
    seen.sensed = out_->by_clock_of(host, exit.at);
    seen.value = static_cast<double>(exit.code);
  }
}

// --- telemetry gaps ------------------------------------------------------------------------------------------------

void Heartbeats::on(const GapBegins&) {
  static constexpr StreamName kDuration = stream_name("heartbeat.gap_duration");
  const HostId host = gaps_->take();
  engine_->at(gaps_->next(), Priority::world, GapBegins{});
  Stream draws = stream_now(seed_, kDuration, engine_->now(), host.value);
  const Duration lasts = from_seconds(world_->telemetry.gap_duration.sample(draws));
  silence(host);
  engine_->after(lasts, Priority::world, GapEnds{host});
}

void Heartbeats::on(const GapEnds& event) { unsilence(event.host); }

}  // namespace gauntlet
