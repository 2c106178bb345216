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
                      .first = watch.first});
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
    entry.from = entry.told = 0;
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
  for (Entry& entry : entries_) {
    if (entry.pattern != victims.line()) continue;
    if (entry.from == 0) entry.from = hops;
    if (!entry.held_back) list(entry, victims, hops);
    if (last && entry.held_back)
      report(entry, *entry.held_back, Severity::error, logged(entry, victims) - entry.told - 1);
  }
}

void LogLines::list(Entry& entry, const Victims& victims, std::uint32_t hops) {
  const Seats& seats = hosts_->seats();
  const SlotRange scope = slots_of(entry.who);
  for (const SlotRange& wave : victims.slots_at(hops)) {
    const SlotRange seen = common(wave, scope);
    for (std::uint32_t slot = seen.begin; slot < seen.end; ++slot) {
      if (victims.is_culprit(slot)) continue;
      if (entry.told == entry.first) {
        entry.held_back = seats.host(slot);
        return;
      }
      ++entry.told;
      report(entry, seats.host(slot), Severity::error, 0);
    }
  }
}

/// How many victims in its scope have aborted since the watch was ordered. All of the stop have.
std::uint32_t LogLines::logged(const Entry& entry, const Victims& victims) const {
  const SlotRange scope = slots_of(entry.who);
  std::uint32_t count = victims.count_in(scope);
  for (std::uint32_t hops = 1; hops < entry.from; ++hops)
    for (const SlotRange& wave : victims.slots_at(hops)) count -= victims.count_in(common(wave, scope));
  return count;
}

}  // namespace gauntlet
