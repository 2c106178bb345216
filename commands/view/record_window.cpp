#include "commands/view/record_window.hpp"

#include "commands/view/sentences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

/// Calls `observed` and `ordered` for what a record holds, in the order in which it happened.
template <class OnObserved, class OnOrder>
void walk(const Record& record, const OnObserved& observed, const OnOrder& ordered) {
  auto order = record.orders.begin();
  for (std::uint32_t i = 0; i < record.observations.size(); ++i) {
    observed(record.observations[i]);
    for (; order != record.orders.end() && order->observations == i + 1; ++order) ordered(*order);
  }
}

}  // namespace

RecordWindow::RecordWindow(const Record& record, const World& world) {
  RecordWords words(world);
  walk(
      record,
      [&](const Observed& seen) {
        note_event(words.on(seen));
        const auto* value = std::get_if<Seen>(&seen.what);
        const Watch* watch = value == nullptr ? nullptr : words.watch_of(value->watch);
        if (watch != nullptr) note_seen(*value, seen.at, *watch);
      },
      [&](const RecordedOrder& given) {
        note_event(words.on(given.order, given.at));
        if (const auto* evict = std::get_if<Evict>(&given.order.what))
          evictions_.emplace_back(given.at, evict->host);
        const auto* watch = std::get_if<Watch>(&given.order.what);
        if (watch != nullptr && watch->signal == Signal::last_collective) answers_.push_back({given.at, {}});
      });
}

/// Two watches may report one thing.
void RecordWindow::note_event(const std::optional<ViewEvent>& event) {
  if (!event) return;
  for (auto other = events_.rbegin(); other != events_.rend() && other->at == event->at; ++other)
    if (*other == *event) return;
  events_.push_back(*event);
}

void RecordWindow::note_seen(const Seen& seen, Time at, const Watch& watch) {
  if (seen.who.kind != ComponentKind::host) return;
  const HostId host = host_of(seen.who);
  if (watch.signal == Signal::process_exit && seen.edge == Edge::sample && seen.value != kAbortedByWatchdog)
    exits_.emplace_back(at, host);
  if (watch.signal == Signal::last_collective) {
    if (seen.value < 0 || seen.value >= static_cast<double>(kDimensions) || answers_.empty()) return;
    answers_.back().by_host[host] = static_cast<Dimension>(seen.value);
    return;
  }
  const bool measures = watch.signal == Signal::forward_time || watch.signal == Signal::backward_time ||
                        watch.signal == Signal::traffic || watch.signal == Signal::traffic_period;
  if (measures && !std::holds_alternative<Silence>(watch.until) && std::isfinite(seen.value))
    samples_.push_back({watch.signal, {at, host, seen.value}});
}

void RecordWindow::add_events(std::vector<ViewIncident>& incidents, Time first, std::size_t most) const {
  if (incidents.empty()) return;
  const std::size_t each = std::max<std::size_t>(1, most / incidents.size());
  Time before = first;  // the end of the incident before: its events are its own
  for (ViewIncident& incident : incidents) {
    const Time from = std::max(before, std::max(kStart, incident.opened - kLead));
    const auto begin = std::lower_bound(events_.begin(), events_.end(), from,
                                        [](const ViewEvent& event, Time at) { return event.at < at; });
    const auto end = std::upper_bound(begin, events_.end(), incident.closed,
                                      [](Time at, const ViewEvent& event) { return at < event.at; });
    const auto count = static_cast<std::size_t>(end - begin), kept = std::min(count, each);
    incident.events.assign(begin, begin + static_cast<std::ptrdiff_t>(kept));
    incident.events_left_out = count - kept;
    before = incident.closed;
  }
}

std::vector<ViewSignal> RecordWindow::signals(Time from, Time until, std::size_t most) const {
  std::map<Signal, ViewSignal> by_signal;
  std::size_t shown = 0;
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {  // the latest first
    if (sample->value.at < from || sample->value.at > until) continue;
    ViewSignal& signal = by_signal[sample->signal];
    signal.signal = sample->signal;
    if (shown == most) {
      ++signal.left_out;
      continue;
    }
    signal.samples.push_back(sample->value);
    ++shown;
  }
  std::vector<ViewSignal> found;
  for (auto& [name, signal] : by_signal) {
    std::reverse(signal.samples.begin(), signal.samples.end());
    found.push_back(std::move(signal));
  }
  return found;
}

std::optional<CollectiveAnswers> RecordWindow::answers(Time from, Time until) const {
  for (const CollectiveAnswers& each : answers_)
    if (each.at >= from && each.at <= until && !each.by_host.empty()) return each;
  return std::nullopt;
}

std::vector<HostId> RecordWindow::evicted(Time from, Time until) const {
  std::vector<HostId> hosts;
  for (const auto& [at, host] : evictions_)
    if (at >= from && at <= until && std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      hosts.push_back(host);
  return hosts;
}

std::optional<HostId> RecordWindow::exited(Time from, Time until) const {
  for (const auto& [at, host] : exits_)
    if (at >= from && at <= until) return host;
  return std::nullopt;
}

std::vector<Incident> ordered_stops(const Record& record) {
  std::vector<Incident> stops;
  bool open = false;
  walk(
      record,
      [&](const Observed& seen) {
        const auto* outcome = std::get_if<Outcome>(&seen.what);
        if (!open) return;
        stops.back().closed = seen.at;
        if (outcome != nullptr && std::holds_alternative<Loaded>(outcome->result)) open = false;
      },
      [&](const RecordedOrder& given) {
        if (std::holds_alternative<Start>(given.order.what) && open) ++stops.back().restarts;
        const auto* stop = std::get_if<Stop>(&given.order.what);
        if (stop == nullptr || stop->reason != StopReason::fault) return;
        if (open) {
          ++stops.back().stops;
          return;
        }
        open = true;
        Incident& incident = stops.emplace_back();
        incident.opened = incident.closed = given.at;
      });
  return stops;
}

}  // namespace gauntlet
