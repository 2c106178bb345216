#include "sim/telemetry/log_lines.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <variant>

namespace gauntlet {

void LogLines::watch(const Watch& watch) {
  expect(std::holds_alternative<Match>(watch.until), "log lines are matched");
  entries_.push_back({.id = watch.id,
                      .pattern = std::get<Match>(watch.until).pattern,
                      .who = watch.who,
                      .first = watch.first,
                      .told = 0,
                      .held_back = {},
                      .held = 0});
}

void LogLines::unwatch(WatchId watch) {
  std::erase_if(entries_, [&](const Entry& each) { return each.id == watch; });
}

void LogLines::write(HostId host, PatternId pattern, Severity severity) {
  const Hosts::State state = hosts_->state(host);
  if (state == Hosts::State::in_repair || state == Hosts::State::returned) return;
  for (const Entry& entry : entries_) {
    if (entry.pattern != pattern) continue;
    if (entry.who.subset == Scope::Subset::one && entry.who.index != host.value) continue;
    if (entry.who.subset == Scope::Subset::job && !hosts_->in_job(host)) continue;
    report(entry, host, severity, 0);
  }
}

void LogLines::report(const Entry& entry, HostId host, Severity severity, std::uint32_t more) {
  Seen& seen = out_->send(host);
  seen.watch = entry.id;
  seen.edge = Edge::sample;
  seen.value = static_cast<double>(severity);
  seen.more = more;
}

// --- victims ---------------------------------------------------------------------------------------------------------

void LogLines::stop_begins() {
  for (Entry& entry : entries_) {
    entry.told = entry.held = 0;
    entry.held_back.reset();
  }
}

SlotRange LogLines::slots_of(const Scope& who) const {
  const Seats& seats = hosts_->seats();
  if (who.subset == Scope::Subset::stage) return seats.slots_of_stage(who.stage);
  if (who.subset != Scope::Subset::one) return {0, seats.count()};
  const std::uint32_t slot = seats.slot_of(HostId{who.index});
  const bool seated = slot < seats.count() && seats.host(slot) == HostId{who.index};
  return seated ? SlotRange{slot, slot + 1} : SlotRange{0, 0};
}

void LogLines::abort(const Victims& victims, std::uint32_t hops, bool last) {
  const auto matches = [&](const Entry& each) { return each.pattern == victims.line(); };
  if (std::none_of(entries_.begin(), entries_.end(), matches)) return;
  const SlotRanges waves = victims.slots_at(hops);
  const std::vector<std::uint32_t>& culprits = victims.culprits();
  const Seats& seats = hosts_->seats();
  for (Entry& entry : entries_) {
    if (!matches(entry)) continue;
    const SlotRange scope = slots_of(entry.who);
    for (const SlotRange& wave : waves) {
      std::uint32_t slot = std::max(wave.begin, scope.begin);
      const std::uint32_t end = std::min(wave.end, scope.end);
      for (; slot < end && entry.told < entry.first; ++slot) {
        if (victims.is_culprit(slot)) continue;
        ++entry.told;
        report(entry, seats.host(slot), Severity::error, 0);
      }
      if (slot >= end) continue;
      const auto among = std::lower_bound(culprits.begin(), culprits.end(), end) -
                         std::lower_bound(culprits.begin(), culprits.end(), slot);
      const std::uint32_t held = end - slot - static_cast<std::uint32_t>(among);
      if (held == 0) continue;
      while (!entry.held_back) {
        if (!victims.is_culprit(slot)) entry.held_back = seats.host(slot);
        ++slot;
      }
      entry.held += held;
    }
    if (last && entry.held > 0) report(entry, *entry.held_back, Severity::error, entry.held - 1);
  }
}

}  // namespace gauntlet
