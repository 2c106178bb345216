#include "sim/telemetry/host_signals.hpp"

#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

HostSignals::HostSignals(bool full, const World& world, Seed seed,
                         std::function<const StageTimings&()> timings, const Seats& seats, const Gang& gang,
                         SimEngine& engine, Reports& out)
    : full_(full),
      world_(&world),
      seed_(seed),
      timings_(std::move(timings)),
      seats_(&seats),
      gang_(&gang),
      engine_(&engine),
      out_(&out),
      slow_(world, seed, seats, engine) {
  traffic_phase_ = from_seconds(uniform_at(seed, stream_name("telemetry.traffic_phase"), 0, 0) *
                                to_seconds(world.telemetry.traffic_interval));
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
  const bool filtered =
      std::holds_alternative<Outside>(watch.until) || std::holds_alternative<Sample>(watch.until) ||
      (silence != nullptr &&
       tick_of(watch.signal) == traffic_tick);  // steps stop, which says nothing about a host
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

void HostSignals::resized() {
  for (std::vector<Entry>& entries : entries_)
    for (Entry& entry : entries) make_parts(entry);
}

void HostSignals::began(const std::vector<SlowSeat>& slow) {
  running_ = true;
  slow_.slow_are(slow);
  told_until_ = engine_->now();
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
  if (slow == slow_.by_faults()) return;
  slow_.slow_are(slow);
  settled_[step_tick] = false;
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

void HostSignals::on(const BlipBegins& event) {
  report_due();
  blips_change(slow_.on(event));
}

void HostSignals::on(const BlipEnds& event) {
  report_due();
  blips_change(slow_.on(event));
}

void HostSignals::blips_change(bool of_job) {
  forget_due(step_tick);
  if (of_job) settled_[step_tick] = false;
  schedule();
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
  // Every tick may coincide with a checkpoint forever.
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
