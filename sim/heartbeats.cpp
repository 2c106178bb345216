#include "sim/heartbeats.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

Heartbeats::Heartbeats(const World& world, Seed seed, bool full, SimEngine& engine, Outbox& out)
    : world_(&world),
      seed_(seed),
      full_(full),
      engine_(&engine),
      out_(&out),
      phase_name_(stream_name("heartbeat.phase")),
      jitter_name_(stream_name("heartbeat.jitter")),
      gap_durations_(seed, stream_name("heartbeat.gap_duration")) {
  if (world.telemetry.gap_mtbf > Duration::zero()) {
    gaps_.emplace(to_seconds(world.telemetry.gap_mtbf), world.inventory.hosts(),
                  Stream(seed, stream_name("heartbeat.gap")));
    engine_->at(after(kStart, from_seconds(gaps_->next_time())), Priority::world, GapBegins{});
  }
}

// --- raw samples ---------------------------------------------------------------------------------------------------

Time Heartbeats::first_sent(HostId host) const {
  const double phase = uniform_at(seed_, phase_name_, host.value, 0);
  return kStart + from_seconds(to_seconds(world_->telemetry.heartbeat_period) * phase);
}

Time Heartbeats::arrival(HostId host, Time first_sent, std::uint32_t number) const {
  const Telemetry& telemetry = world_->telemetry;
  Time at = first_sent + number * telemetry.heartbeat_period;
  if (telemetry.heartbeat_jitter > Duration::zero()) {
    at += from_seconds(to_seconds(telemetry.heartbeat_jitter) *
                       uniform_at(seed_, jitter_name_, host.value, number));
  }
  return at;
}

Heartbeats::Beat Heartbeats::first_from(HostId host, Time from) const {
  const Telemetry& telemetry = world_->telemetry;
  const Time first = first_sent(host);
  // Whatever was sent before this arrives before `from`, however late.
  const Duration sent_from = std::max(Duration::zero(), from - first - telemetry.heartbeat_jitter);
  auto number = static_cast<std::uint32_t>((sent_from + telemetry.heartbeat_period - Duration(1)) /
                                           telemetry.heartbeat_period);
  Time at = arrival(host, first, number);
  while (at < from) at = arrival(host, first, ++number);
  return {number, at};
}

std::optional<Time> Heartbeats::last_arrival_before(HostId host, Time until) const {
  const std::uint32_t number = first_from(host, until).number;
  if (number == 0) return std::nullopt;
  return arrival(host, number - 1);
}

// --- who is listened to --------------------------------------------------------------------------------------------

bool Heartbeats::audible(HostId host) const {
  const auto found = tracked_.find(host.value);
  return found == tracked_.end() || (found->second.silenced_by == 0 && found->second.in_service);
}

bool Heartbeats::concerns(const Scope& who, HostId host) const {
  if (who.kind != ComponentKind::host) return false;
  return who.subset != Scope::Subset::one || who.index == host.value;
}

void Heartbeats::rearm(HostId host, Listening& listening) {
  engine_->cancel(listening.missing);
  const Time deadline = listening.filter.deadline();
  if (deadline == kNever) return;
  listening.missing = engine_->at(std::max(deadline, engine_->now()), Priority::timer,
                                  HeartbeatMissing{host, listening.watch});
}

void Heartbeats::listen(HostId host, const SilenceWatch& watch, Time last) {
  std::vector<Listening>& listening = tracked_[host.value].listening;
  listening.push_back({watch.id, SilenceFilter(watch.limit, last), {}});
  rearm(host, listening.back());
}

std::vector<HostId> Heartbeats::listened_to() const {
  std::vector<HostId> hosts;
  if (full_) {
    for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h) {
      const auto found = tracked_.find(h);
      if (found == tracked_.end() || found->second.in_service) hosts.push_back(HostId{h});
    }
    return hosts;
  }
  for (const auto& [host, tracked] : tracked_) {
    const bool heard = tracked.silenced_by == 0 && !engine_->pending(tracked.back);
    if (tracked.in_service && !heard) hosts.push_back(HostId{host});
  }
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

void Heartbeats::forget(Tracked& tracked) {
  for (Listening& each : tracked.listening) engine_->cancel(each.missing);
  tracked.listening.clear();
}

void Heartbeats::start_full() {
  full_started_ = true;
  const Time now = engine_->now();
  for (std::uint32_t h = 0; h < world_->inventory.hosts(); ++h) {
    const Beat beat = first_from(HostId{h}, now);
    engine_->at(beat.arrival, Priority::telemetry, HeartbeatDue{HostId{h}, beat.number});
  }
}

void Heartbeats::watch(const Watch& watch) {
  if (watch.signal == Signal::process_exit) {
    exit_watches_.push_back({watch.id, watch.who});
  } else {
    expect(watch.signal == Signal::heartbeat && std::holds_alternative<Silence>(watch.until),
           "heartbeats are watched for silence");
    const SilenceWatch added{watch.id, std::get<Silence>(watch.until), watch.who, engine_->now()};
    expect(added.limit.longest > world_->telemetry.heartbeat_period + world_->telemetry.heartbeat_jitter,
           "a silence is longer than a heartbeat's period and lateness");
    silence_watches_.push_back(added);
    for (const HostId host : listened_to()) {
      if (concerns(added.who, host)) listen(host, added, added.since);
    }
  }
  if (full_ && !full_started_) start_full();
}

void Heartbeats::unwatch(WatchId watch) {
  std::erase_if(silence_watches_, [&](const SilenceWatch& each) { return each.id == watch; });
  std::erase_if(exit_watches_, [&](const ExitWatch& each) { return each.id == watch; });
  for (auto& [host, tracked] : tracked_) {
    std::erase_if(tracked.listening, [&](Listening& each) {
      if (each.watch != watch) return false;
      engine_->cancel(each.missing);
      return true;
    });
  }
}

void Heartbeats::report(WatchId watch, HostId host, Edge edge, double value) {
  const Time now = engine_->now();
  out_->push(
      now,
      Seen{.watch = watch, .who = component(host), .edge = edge, .sensed = now, .value = value, .more = 0});
}

// --- silence and service -------------------------------------------------------------------------------------------

void Heartbeats::silence(HostId host) {
  Tracked& tracked = tracked_[host.value];
  if (tracked.silenced_by++ > 0 || !tracked.in_service) return;
  engine_->cancel(tracked.back);
  if (full_ || !tracked.listening.empty())
    return;  // with some: it was about to be heard again, and still was not
  const std::optional<Time> last = last_arrival_before(host, engine_->now());
  for (const SilenceWatch& watch : silence_watches_) {
    if (!concerns(watch.who, host)) continue;
    const Time since = std::max(watch.since, tracked.service_since);
    listen(host, watch, std::max(since, last.value_or(since)));
  }
}

void Heartbeats::unsilence(HostId host) {
  Tracked& tracked = tracked_[host.value];
  expect(tracked.silenced_by > 0, "only a silenced host is unsilenced");
  if (--tracked.silenced_by > 0 || !tracked.in_service || full_) return;
  tracked.back =
      engine_->at(first_from(host, engine_->now()).arrival, Priority::telemetry, HeartbeatBack{host});
}

void Heartbeats::leave_service(HostId host) {
  Tracked& tracked = tracked_[host.value];
  tracked.in_service = false;
  tracked.exited = false;
  engine_->cancel(tracked.back);
  engine_->cancel(tracked.exit_report);
  forget(tracked);
}

void Heartbeats::enter_service(HostId host) {
  Tracked& tracked = tracked_[host.value];
  tracked.in_service = true;
  tracked.service_since = engine_->now();
  if (!full_ && tracked.silenced_by == 0) return;
  for (const SilenceWatch& watch : silence_watches_) {
    if (concerns(watch.who, host)) listen(host, watch, engine_->now());
  }
}

void Heartbeats::on(const HeartbeatMissing& event) {
  // Every watch whose time has come, in their order, however their timers came about.
  for (Listening& each : tracked_[event.host.value].listening) {
    if (each.filter.on_deadline(engine_->now())) {
      report(each.watch, event.host, Edge::began, 0);
    } else if (each.watch == event.watch) {
      rearm(event.host, each);
    }
  }
}

void Heartbeats::arrived(HostId host) {
  const auto found = tracked_.find(host.value);
  if (found == tracked_.end()) return;
  Tracked& tracked = found->second;
  for (Listening& each : tracked.listening) {
    if (const auto edge = each.filter.on_sample(engine_->now())) {
      report(each.watch, host, *edge, 0);
      if (full_) rearm(host, each);
    }
  }
  if (tracked.exited) report_exit(host, tracked);
}

void Heartbeats::on(const HeartbeatBack& event) {
  arrived(event.host);
  forget(tracked_[event.host.value]);
}

void Heartbeats::on(const HeartbeatDue& event) {
  if (audible(event.host)) arrived(event.host);
  const std::uint32_t next = event.number + 1;
  engine_->at(arrival(event.host, next), Priority::telemetry, HeartbeatDue{event.host, next});
}

// --- exits ---------------------------------------------------------------------------------------------------------

Time Heartbeats::exit_report_time(HostId host) const {
  return audible(host) ? first_from(host, engine_->now()).arrival : kNever;
}

void Heartbeats::rank_exited(HostId host) {
  Tracked& tracked = tracked_[host.value];
  if (tracked.exited || exit_watches_.empty()) return;
  tracked.exited = true;
  exited_.push_back(host);
  if (full_ || tracked.silenced_by > 0) return;
  tracked.exit_report = engine_->at(exit_report_time(host), Priority::telemetry, ExitReported{host});
}

void Heartbeats::ranks_stopped() {
  for (const HostId host : exited_) {
    Tracked& tracked = tracked_[host.value];
    tracked.exited = false;
    engine_->cancel(tracked.exit_report);
  }
  exited_.clear();
}

void Heartbeats::on(const ExitReported& event) {
  Tracked& tracked = tracked_[event.host.value];
  if (tracked.exited && audible(event.host)) arrived(event.host);
}

void Heartbeats::report_exit(HostId host, Tracked& tracked) {
  tracked.exited = false;
  for (const ExitWatch& watch : exit_watches_) {
    if (concerns(watch.who, host)) report(watch.id, host, Edge::sample, 1);
  }
}

// --- telemetry gaps ------------------------------------------------------------------------------------------------

void Heartbeats::on(const GapBegins&) {
  const HostId host{static_cast<std::uint32_t>(gaps_->take())};
  engine_->at(after(kStart, from_seconds(gaps_->next_time())), Priority::world, GapBegins{});
  const Duration lasts = from_seconds(world_->telemetry.gap_duration.sample(gap_durations_));
  silence(host);
  engine_->after(lasts, Priority::world, GapEnds{host});
}

void Heartbeats::on(const GapEnds& event) { unsilence(event.host); }

}  // namespace gauntlet
