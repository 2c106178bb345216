// What passes the filters of watches on hosts: levels, samples, and the members of a part that turn.
#include "core/saturating.hpp"
#include "sim/engine/moment.hpp"
#include "sim/telemetry/host_signals.hpp"

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

}  // namespace

double HostSignals::level(Signal signal, std::uint32_t stage, const SlowHost* slow) const {
  switch (signal) {
    case Signal::forward_time:
      return timings_().forward[stage] * (slow != nullptr ? slow->forward : 1);
    case Signal::backward_time:
      return timings_().backward[stage] * (slow != nullptr ? slow->backward : 1);
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
  for (const SlowHost& each : slow_.all()) {
    const auto member = part.member(each.slot);
    if (!member) continue;
    ++tally.slow;
    tally.outside += part.outside[*member];
  }
  return tally;
}

/// Whether some of those that share a level may report.
bool HostSignals::others_want(const Part& part, const Tally& tally, Side present) const {
  const std::uint32_t others = part.count - tally.slow;
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
  if (tally.slow == 0) return false;
  return std::any_of(slow_.all().begin(), slow_.all().end(), [&](const SlowHost& each) {
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
  Seen& seen = out_->send(seats_->host(slot));
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
      const SlowHost* slow = tick_of(signal) == step_tick ? slow_.in(slot) : nullptr;
      const double value = sample(signal, seats_->host(slot), level(signal, part.stage, slow));
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
  const bool outside_now = present == Side::both
                               ? is_outside(band, sample(entry.watch.signal, seats_->host(slot), level))
                               : present == Side::outside;
  if (outside_now == (part.outside[member] != 0)) return;
  part.outside[member] = outside_now ? 1 : 0;
  part.outside_count = outside_now ? part.outside_count + 1 : part.outside_count - 1;
  burst.add(slot, outside_now ? Edge::began : Edge::ended, level);
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
      turn_all(part, is_outside(band, sample(signal, seats_->host(0), common)), common, burst);
    } else if (!others_want(part, tally, side(band, common))) {
      for (const SlowHost& each : slow_.all()) {
        if (const auto member = part.member(each.slot))
          run_filter(entry, part, *member, level(signal, part.stage, &each), burst);
      }
    } else if (tally.slow == 0 && side(band, common) != Side::both) {
      turn_all(part, side(band, common) == Side::outside, common, burst);
    } else {
      for (std::uint32_t member = 0; member < part.count; ++member) {
        const SlowHost* slow = tally.slow == 0 ? nullptr : slow_.in(part.slot(member));
        run_filter(entry, part, member, slow == nullptr ? common : level(signal, part.stage, slow), burst);
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
      const SlowHost* slow = tick_of(signal) == step_tick ? slow_.in(slot) : nullptr;
      report(entry, slot, Edge::sample, sample(signal, seats_->host(slot), level(signal, part.stage, slow)),
             0);
    }
  }
}

void HostSignals::pass_silence(Entry& entry, Edge edge) {
  entry.ran = true;
  Burst burst(*this, entry);
  for (Part& part : entry.parts) turn_all(part, edge == Edge::began, 0, burst);
  burst.end();
}

}  // namespace gauntlet
