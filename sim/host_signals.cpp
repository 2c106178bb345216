#include "sim/host_signals.hpp"

#include "core/saturating.hpp"
#include "sim/moment.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<StreamName, kSignals> noise_names() {
  std::array<StreamName, kSignals> names;
  for (std::size_t i = 0; i < kSignals; ++i) names[i] = stream_name(kSignalNames[i]);
  return names;
}
constexpr std::array<StreamName, kSignals> kNoise = noise_names();

bool outside(const Outside& band, double value) { return !(value >= band.low && value <= band.high); }

}  // namespace

HostSignals::HostSignals(bool full, const World& world, Seed seed, const StageTimings& timings,
                         const Seats& seats, const Gang& gang, SimEngine& engine, Reports& out)
    : full_(full),
      world_(&world),
      seed_(seed),
      timings_(&timings),
      seats_(&seats),
      gang_(&gang),
      engine_(&engine),
      out_(&out) {
  const Telemetry& telemetry = world.telemetry;
  traffic_phase_ = from_seconds(uniform_at(seed, stream_name("telemetry.traffic_phase"), 0, 0) *
                                to_seconds(telemetry.traffic_interval));
  if (telemetry.blip_mtbf > Duration::zero()) {
    blip_times_.emplace(telemetry.blip_mtbf, seed, stream_name("telemetry.blip"), world.inventory);
    engine.at(blip_times_->next(), Priority::world, BlipBegins{});
  }
}

// --- who is watched ----------------------------------------------------------------------------------------------------

std::optional<std::uint32_t> HostSignals::Part::member(std::uint32_t slot) const {
  if (count == 0 || slot < slots.begin || slot >= slots.end) return std::nullopt;
  const std::uint64_t away = slot - slots.begin;
  const auto member = static_cast<std::uint32_t>((away * count + slots.size() - 1) / slots.size());
  if (member < count && this->slot(member) == slot) return member;
  return std::nullopt;
}

void HostSignals::forget_bits(Entry& entry) const {
  for (Part& part : entry.parts) {
    part.outside.assign(part.count, 0);
    part.outside_count = 0;
    if (const auto* band = std::get_if<Outside>(&entry.watch.until); band != nullptr && full_)
      part.filters.assign(part.count, OutsideFilter(*band));
  }
}

void HostSignals::make_parts(Entry& entry) const {
  const Scope& who = entry.watch.who;
  entry.parts.clear();
  const auto add = [&](SlotRange slots, std::uint32_t stage) {
    const std::uint32_t count = std::min<std::uint32_t>(slots.size(), who.most);
    if (count == 0) return;
    Part& part = entry.parts.emplace_back();
    part.slots = slots;
    part.count = count;
    part.stage = stage;
    const Signal signal = entry.watch.signal;
    if (const auto* band = std::get_if<Outside>(&entry.watch.until);
        band != nullptr && tick_of(signal) == step_tick)
      part.usual = side(*band, level(signal, stage, nullptr));
  };
  if (who.subset == Scope::Subset::one) {
    const std::uint32_t slot = seats_->slot_of(HostId{who.index});
    if (slot < seats_->count() && seats_->host(slot) == HostId{who.index})
      add({slot, slot + 1}, seats_->stage_of(slot));
  } else if (who.subset == Scope::Subset::stage) {
    if (who.stage < seats_->stages()) add(seats_->slots_of_stage(who.stage), who.stage);
  } else if (tick_of(entry.watch.signal) == traffic_tick) {
    add({0, seats_->count()}, 0);
  } else {
    for (std::uint32_t stage = 0; stage < seats_->stages(); ++stage)
      add(seats_->slots_of_stage(stage), stage);
  }
  forget_bits(entry);
}

bool HostSignals::watch(const Watch& watch) {
  const auto* silence = std::get_if<Silence>(&watch.until);
  const bool filtered = std::holds_alternative<Outside>(watch.until) ||
                        std::holds_alternative<Sample>(watch.until) ||
                        (silence != nullptr &&
                         tick_of(watch.signal) == traffic_tick);  // steps stop, and that is no news of a host
  if (!filtered || watch.who.kind != ComponentKind::host) return false;
  report_due();  // a new watch sees what comes after it
  tell_of_ticks();
  Entry& entry = entries_[tick_of(watch.signal)].emplace_back(Entry{.watch = watch, .parts = {}});
  if (const auto* sample = std::get_if<Sample>(&watch.until)) entry.samples = SampleFilter(*sample);
  if (silence != nullptr) entry.silence = SilenceFilter(*silence, engine_->now());
  make_parts(entry);
  settled_[tick_of(watch.signal)] = false;
  arm();
  schedule();
  return true;
}

void HostSignals::unwatch(WatchId watch) {
  for (std::vector<Entry>& entries : entries_)
    std::erase_if(entries, [&](const Entry& each) { return each.watch.id == watch; });
}

// --- what changes ------------------------------------------------------------------------------------------------------

void HostSignals::resized(const StageTimings& timings) {
  timings_ = &timings;
  for (std::vector<Entry>& entries : entries_)
    for (Entry& entry : entries) make_parts(entry);
}

void HostSignals::began(const std::vector<SlowSeat>& slow) {
  running_ = true;
  slow_ = slow;
  told_until_ = engine_->now();
  find_exceptions();
  for (std::vector<Entry>& entries : entries_) {
    for (Entry& entry : entries) {
      const bool ran = std::exchange(entry.ran, false);
      if (entry.watch.who.subset == Scope::Subset::one) {
        make_parts(entry);  // it may have got a seat, or lost it
      } else if (ran) {
        forget_bits(entry);
      }
      if (entry.silence) entry.silence = SilenceFilter(std::get<Silence>(entry.watch.until), engine_->now());
    }
  }
  arm();
  settled_ = {};
  schedule();
}

void HostSignals::slow_are(const std::vector<SlowSeat>& slow) {
  if (slow == slow_) return;
  slow_ = slow;
  find_exceptions();
}

void HostSignals::forget_due(Tick tick) {
  if (due_at_[tick] != kNever) settled_[tick] = false;
  engine_->hold(due_[tick]);
  due_at_[tick] = kNever;
}

void HostSignals::before_change() {
  if (!running_) return;
  if (!sends()) {  // no tick is due
    told_until_ = engine_->now();
    return;
  }
  report_due();
  tell_of_ticks();
  for (const Tick tick : {step_tick, traffic_tick}) forget_due(tick);
}

void HostSignals::after_change() {
  if (!running_) return;
  if (pace() != settled_for_) settled_[traffic_tick] = false;  // traffic depends on nothing else
  arm();
  schedule();
}

void HostSignals::gone() {
  before_change();
  running_ = false;
  arm();
}

void HostSignals::find_exceptions() {
  settled_[step_tick] = false;
  exceptions_.clear();
  for (const SlowSeat& seat : slow_) {
    if (exceptions_.empty() || exceptions_.back().slot != seat.slot) exceptions_.push_back({seat.slot, 1, 1});
    Exception& host = exceptions_.back();  // its slowest GPU
    host.forward = std::max(host.forward, seat.slow.forward);
    host.backward = std::max(host.backward, seat.slow.backward);
  }
  for (const auto& [host, count] : blips_) {
    if (!seated(host)) continue;
    const std::uint32_t slot = seats_->slot_of(host);
    auto place = std::lower_bound(exceptions_.begin(), exceptions_.end(), slot,
                                  [](const Exception& each, std::uint32_t s) { return each.slot < s; });
    if (place == exceptions_.end() || place->slot != slot) place = exceptions_.insert(place, {slot, 1, 1});
    place->forward *= world_->telemetry.blip_factor;
    place->backward *= world_->telemetry.blip_factor;
  }
}

bool HostSignals::seated(HostId host) const {
  const std::uint32_t slot = seats_->slot_of(host);
  return slot < seats_->count() && seats_->host(slot) == host;
}

void HostSignals::blips_change(HostId host) {
  forget_due(step_tick);
  if (seated(host)) find_exceptions();  // those of hosts that stand by are none
  schedule();
}

void HostSignals::on(const BlipBegins&) {
  report_due();
  static constexpr StreamName kDuration = stream_name("telemetry.blip_duration");
  const HostId host = blip_times_->take();
  engine_->at(blip_times_->next(), Priority::world, BlipBegins{});
  ++blips_[host];
  Stream draws = stream_now(seed_, kDuration, engine_->now(), host.value);
  const Duration lasts = from_seconds(world_->telemetry.blip_duration.sample(draws));
  engine_->after(lasts, Priority::world, BlipEnds{host});
  blips_change(host);
}

void HostSignals::on(const BlipEnds& event) {
  report_due();
  const auto found = blips_.find(event.host);
  if (--found->second == 0) blips_.erase(found);
  blips_change(event.host);
}

// --- samples -----------------------------------------------------------------------------------------------------------

const HostSignals::Exception* HostSignals::exception_of(std::uint32_t slot) const {
  const auto found = std::lower_bound(exceptions_.begin(), exceptions_.end(), slot,
                                      [](const Exception& each, std::uint32_t s) { return each.slot < s; });
  return found == exceptions_.end() || found->slot != slot ? nullptr : &*found;
}

double HostSignals::level(Signal signal, std::uint32_t stage, const Exception* exception) const {
  switch (signal) {
    case Signal::forward_time:
      return timings_->forward[stage] * (exception != nullptr ? exception->forward : 1);
    case Signal::backward_time:
      return timings_->backward[stage] * (exception != nullptr ? exception->backward : 1);
    case Signal::traffic:
      return to_seconds(sum(gang_->stretch().healthy_step, gang_->stretch().for_fewer)) /
             to_seconds(gang_->stretch().step);
    case Signal::traffic_period:
      return to_seconds(gang_->stretch().step);
    default:
      return 0;
  }
}

double HostSignals::sample(Signal signal, HostId host, double level) const {
  const double noise = world_->telemetry.noise;
  if (noise == 0 || level == 0) return level;
  const std::uint32_t who = tick_of(signal) == traffic_tick ? 0 : host.value;
  const double x =
      2 * uniform_at(seed_, kNoise[static_cast<std::size_t>(signal)], component_now(engine_->now(), who), 0) -
      1;
  return level * (1 + noise * x);
}

HostSignals::Side HostSignals::side(const Outside& band, double level) const {
  const double noise = world_->telemetry.noise;
  const double least = level * (1 - noise), most = level * (1 + noise);
  if (least >= band.low && most <= band.high) return Side::inside;
  return most < band.low || least > band.high ? Side::outside : Side::both;
}

HostSignals::Tally HostSignals::tally_of(const Part& part, Tick tick) const {
  Tally tally;
  if (tick == traffic_tick) return tally;  // it is the same for all
  for (const Exception& each : exceptions_) {
    const auto member = part.member(each.slot);
    if (!member) continue;
    ++tally.exceptions;
    tally.outside += part.outside[*member];
  }
  return tally;
}

/// Whether some of those that share a level may report.
bool HostSignals::others_want(const Part& part, const Tally& tally, Side present) const {
  const std::uint32_t others = part.count - tally.exceptions;
  const std::uint32_t others_outside = part.outside_count - tally.outside;
  if (others == 0) return false;
  if (present == Side::both) return true;
  return present == Side::outside ? others_outside < others : others_outside > 0;
}

bool HostSignals::wants(const Entry& entry, const Part& part) const {
  const Signal signal = entry.watch.signal;
  const Outside& band = std::get<Outside>(entry.watch.until);
  const Tally tally = tally_of(part, tick_of(signal));
  const bool timing = tick_of(signal) == step_tick;
  if (others_want(part, tally, timing ? part.usual : side(band, level(signal, part.stage, nullptr))))
    return true;
  if (tally.exceptions == 0) return false;
  return std::any_of(exceptions_.begin(), exceptions_.end(), [&](const Exception& each) {
    const auto member = part.member(each.slot);
    if (!member) return false;
    const Side present = side(band, level(signal, part.stage, &each));
    return present == Side::both || (present == Side::outside) != (part.outside[*member] != 0);
  });
}

bool HostSignals::wants(const Entry& entry) const {
  if (full_) return true;
  if (entry.silence) return entry.silence->silent() || below_interval(entry);
  if (entry.samples) return entry.samples->would_report(0);
  return std::any_of(entry.parts.begin(), entry.parts.end(),
                     [&](const Part& part) { return wants(entry, part); });
}

void HostSignals::report(const Entry& entry, std::uint32_t slot, Edge edge, double value,
                         std::uint32_t more) {
  Seen& seen = out_->send(seats_->host(slot), engine_->now());
  seen.watch = entry.watch.id;
  seen.edge = edge;
  seen.value = value;
  seen.more = more;
}

/// Of the members that report one edge at one tick, the first few are listed and the others counted.
class HostSignals::Burst {
 public:
  Burst(HostSignals& signals, const Entry& entry) : signals_(signals), entry_(entry) {}

  void add(std::uint32_t slot, Edge edge, double level) {
    Held& held = held_[static_cast<std::size_t>(edge)];
    if (lists(edge)) {
      ++held.listed;
      signals_.report(entry_, slot, edge, value(slot, level), 0);
    } else if (held.count++ == 0) {
      held.slot = slot;
      held.level = level;
    }
  }
  bool lists(Edge edge) const {
    return entry_.watch.first == kEachMember ||
           held_[static_cast<std::size_t>(edge)].listed < entry_.watch.first;
  }
  bool holds(Edge edge) const { return held_[static_cast<std::size_t>(edge)].count > 0; }
  void add_uncounted(Edge edge, std::uint32_t members) {
    held_[static_cast<std::size_t>(edge)].count += members;
  }
  void end() {
    for (const Edge edge : {Edge::began, Edge::ended}) {
      const Held& held = held_[static_cast<std::size_t>(edge)];
      if (held.count > 0)
        signals_.report(entry_, held.slot, edge, value(held.slot, held.level), held.count - 1);
    }
  }

 private:
  struct Held {
    std::uint32_t listed = 0, count = 0, slot = 0;
    double level = 0;
  };
  double value(std::uint32_t slot, double level) const {
    return signals_.sample(entry_.watch.signal, signals_.seats_->host(slot), level);
  }

  HostSignals& signals_;
  const Entry& entry_;
  Held held_[2];
};

/// As an agent does: every sample of every member.
void HostSignals::run_filters(Entry& entry) {
  entry.ran = true;
  struct Edges {
    FirstMembers first;
    std::uint32_t slot = 0;  // the first of those that were held back, and its sample
    double value = 0;
    bool held = false;
  };
  const Signal signal = entry.watch.signal;
  Edges edges[2] = {{FirstMembers(entry.watch.first)}, {FirstMembers(entry.watch.first)}};
  for (Part& part : entry.parts) {
    for (std::uint32_t member = 0; member < part.count; ++member) {
      const std::uint32_t slot = part.slot(member);
      const Exception* exception = tick_of(signal) == step_tick ? exception_of(slot) : nullptr;
      const double value = sample(signal, seats_->host(slot), level(signal, part.stage, exception));
      const std::optional<Edge> edge = part.filters[member].on_sample(value);
      if (!edge) continue;
      Edges& of = edges[static_cast<std::size_t>(*edge)];
      if (of.first.passes()) {
        report(entry, slot, *edge, value, 0);
      } else if (!std::exchange(of.held, true)) {
        of.slot = slot;
        of.value = value;
      }
    }
  }
  for (const Edge edge : {Edge::began, Edge::ended}) {
    Edges& of = edges[static_cast<std::size_t>(edge)];
    if (const std::uint32_t held = of.first.end_burst(); held > 0)
      report(entry, of.slot, edge, of.value, held - 1);
  }
}

/// One sample of one member.
void HostSignals::run_filter(const Entry& entry, Part& part, std::uint32_t member, double level,
                             Burst& burst) {
  const Outside& band = std::get<Outside>(entry.watch.until);
  const std::uint32_t slot = part.slot(member);
  const Side present = side(band, level);
  const bool is_outside = present == Side::both
                              ? outside(band, sample(entry.watch.signal, seats_->host(slot), level))
                              : present == Side::outside;
  if (is_outside == (part.outside[member] != 0)) return;
  part.outside[member] = is_outside ? 1 : 0;
  part.outside_count = is_outside ? part.outside_count + 1 : part.outside_count - 1;
  burst.add(slot, is_outside ? Edge::began : Edge::ended, level);
}

/// All members have a sample on one side of the band.
void HostSignals::turn_all(Part& part, bool to_outside, double level, Burst& burst) {
  const Edge edge = to_outside ? Edge::began : Edge::ended;
  std::uint32_t turning = to_outside ? part.count - part.outside_count : part.outside_count;
  for (std::uint32_t member = 0; turning > 0 && (burst.lists(edge) || !burst.holds(edge)); ++member) {
    if ((part.outside[member] != 0) == to_outside) continue;
    burst.add(part.slot(member), edge, level);
    --turning;
  }
  burst.add_uncounted(edge, turning);
  std::fill(part.outside.begin(), part.outside.end(), to_outside ? 1 : 0);
  part.outside_count = to_outside ? part.count : 0;
}

void HostSignals::run_filter(Entry& entry) {
  entry.ran = true;
  const Signal signal = entry.watch.signal;
  const Outside& band = std::get<Outside>(entry.watch.until);
  Burst burst(*this, entry);
  for (Part& part : entry.parts) {
    if (!wants(entry, part)) continue;
    const double common = level(signal, part.stage, nullptr);
    const Tally tally = tally_of(part, tick_of(signal));
    if (tick_of(signal) == traffic_tick) {
      turn_all(part, outside(band, sample(signal, seats_->host(0), common)), common, burst);
    } else if (!others_want(part, tally, side(band, common))) {
      for (const Exception& each : exceptions_) {
        if (const auto member = part.member(each.slot))
          run_filter(entry, part, *member, level(signal, part.stage, &each), burst);
      }
    } else if (tally.exceptions == 0 && side(band, common) != Side::both) {
      turn_all(part, side(band, common) == Side::outside, common, burst);
    } else {
      for (std::uint32_t member = 0; member < part.count; ++member) {
        const Exception* exception = tally.exceptions == 0 ? nullptr : exception_of(part.slot(member));
        run_filter(entry, part, member, exception == nullptr ? common : level(signal, part.stage, exception),
                   burst);
      }
    }
  }
  burst.end();
}

void HostSignals::pass_samples(Entry& entry) {
  if (!entry.samples->on_sample(0)) return;
  const Signal signal = entry.watch.signal;
  for (const Part& part : entry.parts) {
    for (std::uint32_t member = 0; member < part.count; ++member) {
      const std::uint32_t slot = part.slot(member);
      const Exception* exception = tick_of(signal) == step_tick ? exception_of(slot) : nullptr;
      report(entry, slot, Edge::sample,
             sample(signal, seats_->host(slot), level(signal, part.stage, exception)), 0);
    }
  }
}

// --- silence -----------------------------------------------------------------------------------------------------------

/// Tells the filters of the traffic that no event told them of.
void HostSignals::tell_of_ticks() {
  const Time now = engine_->now();
  if (!full_ && sends() && now >= first_traffic_tick()) {
    const Time last = now - (now - first_traffic_tick()) % world_->telemetry.traffic_interval;
    for (Entry& entry : entries_[traffic_tick]) {
      if (last > told_until_ && entry.silence && !entry.silence->silent()) entry.silence->on_sample(last);
    }
  }
  told_until_ = now;
}

/// Sets the timer to the first silence that may begin: of a job that trains, one that begins before the next tick.
void HostSignals::arm() {
  Time first = kNever;
  for (const Entry& entry : entries_[traffic_tick]) {
    if (running_ && entry.silence) first = std::min(first, entry.silence->deadline());
  }
  if (sends()) {  // a tick comes within an interval
    const Time within = after(engine_->now(), world_->telemetry.traffic_interval);
    if (!full_ && first != kNever && (first >= within || first >= next_traffic(false))) first = kNever;
  } else if (gang_->heals_by(first)) {
    first = kNever;
  }
  if (first == missing_at_) return;
  missing_at_ = first;
  engine_->set(missing_, std::max(first, engine_->now()), Priority::timer, TrafficMissing{});
}

void HostSignals::pass_silence(Entry& entry, Edge edge) {
  entry.ran = true;
  Burst burst(*this, entry);
  for (Part& part : entry.parts) turn_all(part, edge == Edge::began, 0, burst);
  burst.end();
}

void HostSignals::on(const TrafficMissing&) {
  missing_at_ = kNever;
  tell_of_ticks();
  for (Entry& entry : entries_[traffic_tick]) {
    if (!entry.silence) continue;
    if (const auto edge = entry.silence->on_deadline(engine_->now())) {
      pass_silence(entry, *edge);
      settled_[traffic_tick] = false;  // its end is news
    }
  }
  arm();
  schedule();
}

// --- ticks -------------------------------------------------------------------------------------------------------------

bool HostSignals::sends() const { return gang_->state() == Gang::State::training || gang_->evaluates(); }

bool HostSignals::in_stall(Time at) const {
  return gang_->state() == Gang::State::training &&
         gang_->stretch().reached_at(at).into_stall > Duration::zero();
}

Time HostSignals::next_step() const { return gang_->next_step_time(engine_->now()); }

/// `measured`: the next tick at which no checkpoint blocks training.
Time HostSignals::next_traffic(bool measured) const {
  const Duration interval = world_->telemetry.traffic_interval;
  const Time first = first_traffic_tick();
  const auto next_after = [&](Time at) {
    return at < first ? first : after(first, times((at - first) / interval + 1, interval));
  };
  Time at = next_after(engine_->now());
  // Ticks and checkpoints may keep step with each other for ever.
  constexpr int kMostStalls = 1000;
  for (int stalls = 0; measured && in_stall(at); ++stalls) {
    if (stalls == kMostStalls) return kNever;
    at = next_after(gang_->boundary_after(at) - Duration(1));
  }
  return at;
}

void HostSignals::schedule() {
  if (!running_ || (settled_[step_tick] && settled_[traffic_tick])) return;
  if (!sends()) return;
  for (const Tick tick : {step_tick, traffic_tick}) {
    if (settled_[tick] || engine_->pending(due_[tick])) continue;
    if (tick == step_tick && gang_->evaluates()) continue;  // no step completes
    bool wanted = false, measured = !full_;
    for (const Entry& entry : entries_[tick]) {
      if (!wants(entry)) continue;
      wanted = true;
      if (tick == step_tick) break;
      if (entry.silence) measured = false;
    }
    settled_[tick] = !wanted;
    if (tick == traffic_tick) settled_for_ = pace();
    if (!wanted) continue;
    due_at_[tick] = tick == step_tick ? next_step() : next_traffic(measured);
    engine_->set(due_[tick], due_at_[tick], Priority::telemetry, HostTick{});
  }
}

void HostSignals::report_due() {
  for (const Tick tick : {step_tick, traffic_tick}) {
    if (due_at_[tick] != engine_->now()) continue;
    forget_due(tick);
    const bool measured = tick == step_tick || !in_stall(engine_->now());
    for (Entry& entry : entries_[tick]) {
      if (entry.silence) {
        if (const auto edge = entry.silence->on_sample(engine_->now())) pass_silence(entry, *edge);
      } else if (!measured) {
        continue;
      } else if (std::holds_alternative<Outside>(entry.watch.until)) {
        full_ ? run_filters(entry) : run_filter(entry);
      } else {
        pass_samples(entry);
      }
    }
    if (tick == traffic_tick) arm();
  }
}

}  // namespace gauntlet
