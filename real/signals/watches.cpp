#include "real/signals/watches.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

void Watches::reset(std::vector<std::string> patterns) {
  patterns_ = std::move(patterns);
  entries_.clear();
  seen_.clear();
}

bool Watches::is_of_host(Signal signal) {
  return signal != Signal::step && signal != Signal::checkpoint_stall && signal != Signal::loss;
}

bool Watches::add(const Watch& watch, Time now) {
  const bool matched = watch.signal == Signal::process_exit || watch.signal == Signal::log_line;
  const bool numbers = !matched && watch.signal != Signal::heartbeat;
  Entry entry{watch, SilenceFilter()};
  if (const auto* match = std::get_if<Match>(&watch.until)) {
    if (!matched) return false;
    entry.filter = Matching{match->pattern, FirstMembers(watch.first), {}};
  } else if (watch.signal == Signal::process_exit) {
    const auto* harmless = std::get_if<Outside>(&watch.until);
    if (harmless == nullptr) return false;
    entry.filter = Matching{PatternId{}, FirstMembers(watch.first), *harmless};
  } else if (const auto* silence = std::get_if<Silence>(&watch.until)) {
    if (watch.signal != Signal::step && watch.signal != Signal::traffic) return false;
    const Running& running = running_of(watch.signal);
    entry.filter = SilenceFilter(*silence, running.on ? running.last : now);
  } else {
    if (!numbers) return false;
    if (const auto* band = std::get_if<Outside>(&watch.until)) {
      entry.filter = OutsideFilter(*band);
    } else {
      entry.filter = SampleFilter(std::get<Sample>(watch.until));
    }
  }
  remove(watch.id);
  entries_.push_back(std::move(entry));
  return true;
}

void Watches::remove(WatchId watch) {
  std::erase_if(entries_, [&](const Entry& each) { return each.watch.id == watch; });
}

void Watches::began(Time now) {
  job_ = {.on = true, .last = now};
  start_afresh(job_, now);
}

void Watches::gone() { job_.on = false; }

void Watches::host_began(Time now) {
  host_ranks_ = {.on = true, .last = now};
  start_afresh(host_ranks_, now);
}

void Watches::host_gone() { host_ranks_.on = false; }

void Watches::start_afresh(const Running& running, Time now) {
  for (Entry& entry : entries_) {
    if (&running_of(entry.watch.signal) != &running) continue;
    if (auto* silence = std::get_if<SilenceFilter>(&entry.filter)) {
      *silence = SilenceFilter(std::get<Silence>(entry.watch.until), now);
    } else if (std::holds_alternative<OutsideFilter>(entry.filter)) {
      entry.filter = OutsideFilter(std::get<Outside>(entry.watch.until));
    }
  }
}

bool Watches::wants(Signal signal) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& each) { return each.watch.signal == signal; });
}

void Watches::on_exit(std::int32_t code, Time now) { match(Signal::process_exit, PatternId{}, code, now); }

void Watches::on_log(std::string_view pattern, Time now) {
  const auto found = std::find(patterns_.begin(), patterns_.end(), pattern);
  if (found == patterns_.end()) return;
  match(Signal::log_line, PatternId{static_cast<std::uint32_t>(found - patterns_.begin())}, 0, now);
}

void Watches::on_step(double seconds, Time now) {
  if (!job_.on) return;
  job_.last = now;
  sample(Signal::step, seconds, now);
}

void Watches::on_stall(double seconds, Time now) {
  if (job_.on) sample(Signal::checkpoint_stall, seconds, now);
}

void Watches::on_loss(double deviations, Time now) { sample(Signal::loss, deviations, now); }

void Watches::on_host(Signal signal, double value, Time now) {
  if (signal == Signal::last_collective) return sample(signal, value, now);  // asked for when nothing trains
  if (!host_ranks_.on) return;
  if (signal == Signal::traffic) host_ranks_.last = now;
  sample(signal, value, now);
}

Time Watches::deadline() const {
  Time first = kNever;
  for (const Entry& entry : entries_) {
    if (!running_of(entry.watch.signal).on) continue;
    if (const auto* silence = std::get_if<SilenceFilter>(&entry.filter))
      first = std::min(first, silence->deadline());
  }
  return first;
}

void Watches::on_deadline(Time now) {
  for (Entry& entry : entries_) {
    auto* silence = std::get_if<SilenceFilter>(&entry.filter);
    if (silence == nullptr || !running_of(entry.watch.signal).on) continue;
    if (const auto edge = silence->on_deadline(now)) report(entry, *edge, 0, now);
  }
}

std::vector<Seen> Watches::take(Time now) {
  for (Entry& entry : entries_) {
    auto* matching = std::get_if<Matching>(&entry.filter);
    if (matching == nullptr) continue;
    const std::uint32_t held_back = matching->first.end_burst();
    if (held_back > 0) report(entry, Edge::sample, 0, now, held_back - 1);
  }
  return std::exchange(seen_, {});
}

void Watches::match(Signal signal, PatternId pattern, double value, Time now) {
  for (Entry& entry : entries_) {
    if (entry.watch.signal != signal) continue;
    if (entry.watch.who.subset == Scope::Subset::one && entry.watch.who.index != host_.value) continue;
    auto& matching = std::get<Matching>(entry.filter);
    const auto& harmless = matching.harmless;
    if (harmless && value >= harmless->low && value <= harmless->high) continue;
    if (matching.pattern == pattern && matching.first.passes()) report(entry, Edge::sample, value, now);
  }
}

void Watches::sample(Signal signal, double value, Time now) {
  for (Entry& entry : entries_) {
    if (entry.watch.signal != signal) continue;
    if (is_of_host(signal) && entry.watch.who.subset == Scope::Subset::one &&
        entry.watch.who.index != host_.value)
      continue;
    std::optional<Edge> edge;
    if (auto* silence = std::get_if<SilenceFilter>(&entry.filter)) {
      edge = silence->on_sample(now);
    } else if (auto* band = std::get_if<OutsideFilter>(&entry.filter)) {
      edge = band->on_sample(value);
    } else {
      edge = std::get<SampleFilter>(entry.filter).on_sample(value);
    }
    if (edge) report(entry, *edge, value, now);
  }
}

void Watches::report(const Entry& entry, Edge edge, double value, Time now, std::uint32_t more) {
  seen_.push_back({.watch = entry.watch.id,
                   .who = is_of_host(entry.watch.signal) ? component(host_) : component(JobId{}),
                   .edge = edge,
                   .sensed = now,
                   .value = value,
                   .more = more});
}

}  // namespace gauntlet
