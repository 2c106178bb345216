#include "commands/view/sentences.hpp"

#include "core/component.hpp"
#include "core/quantity.hpp"
#include "core/record/enumerators.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

using Kind = ViewEvent::Kind;

std::string words_of(std::string_view name) {
  std::string words(name);
  for (char& each : words)
    if (each == '_') each = ' ';
  return words;
}

std::optional<HostId> host_in(ComponentId who) {
  return who.kind == ComponentKind::host ? std::optional(HostId{who.index}) : std::nullopt;
}

std::string severity_text(double value) {
  switch (static_cast<int>(value)) {
    case static_cast<int>(Severity::info):
      return "info";
    case static_cast<int>(Severity::warning):
      return "warning";
    case static_cast<int>(Severity::error):
      return "error";
    default:
      return "fatal";
  }
}

std::string and_more(std::uint32_t more) {
  return more == 0 ? ""
                   : fmt::format("; {} more {} the same", more, more == 1 ? "host reports" : "hosts report");
}

}  // namespace

std::string_view text_of(Effect effect) {
  switch (effect) {
    case Effect::crash:
      return "crash";
    case Effect::hang:
      return "hang";
    case Effect::slow:
      return "slow";
    case Effect::stall:
      return "stall";
    case Effect::corrupt:
      return "corrupt";
    case Effect::degrade:
      return "degrade";
    case Effect::none:
      return "none";
    case Effect::planned:
      return "planned";
    case Effect::preempt:
      return "preempt";
  }
  return "";
}

const Watch* RecordWords::watch_of(WatchId watch) const {
  const auto found = watches_.find(watch);
  return found == watches_.end() ? nullptr : &found->second;
}

std::optional<ViewEvent> RecordWords::on(const Order& order, Time at) {
  const auto event = [&](std::optional<HostId> host, std::string text) {
    orders_[order.id] = order.what;
    return ViewEvent{at, host, Kind::order, std::move(text)};
  };
  const Action& what = order.what;
  if (const auto* watch = std::get_if<Watch>(&what)) {
    watches_[watch->id] = *watch;
    if (watch->signal != Signal::last_collective) return std::nullopt;
    return event(std::nullopt, "The policy asks every host in which collective it waits");
  }
  if (const auto* back = std::get_if<Unwatch>(&what)) {
    watches_.erase(back->watch);
    return std::nullopt;
  }
  if (const auto* stop = std::get_if<Stop>(&what))
    return event(std::nullopt, fmt::format("The policy stops the job ({})", enumerator(stop->reason)));
  if (std::holds_alternative<Start>(what)) return event(std::nullopt, "The policy starts the job");
  if (const auto* evict = std::get_if<Evict>(&what))
    return event(evict->host, fmt::format("The policy evicts host {}", evict->host.value));
  if (const auto* readmit = std::get_if<Readmit>(&what))
    return event(readmit->host, fmt::format("The policy readmits host {}", readmit->host.value));
  if (const auto* retire = std::get_if<Retire>(&what))
    return event(retire->host, fmt::format("The policy retires host {}", retire->host.value));
  if (const auto* rests = std::get_if<StandBy>(&what))
    return event(rests->host, fmt::format("Host {} stands by", rests->host.value));
  if (std::holds_alternative<Acquire>(what)) return event(std::nullopt, "The policy requests a host");
  if (std::holds_alternative<Release>(what))
    return event(std::nullopt, "The policy releases the hosts of the job");
  if (std::holds_alternative<Checkpoint>(what)) return event(std::nullopt, "The policy orders a checkpoint");
  if (const auto* probe = std::get_if<Probe>(&what)) {
    const bool one = probe->who.subset == Scope::Subset::one;
    return event(
        one ? std::optional(HostId{probe->who.index}) : std::nullopt,
        fmt::format("Probe {} runs on {}", world_->probes.at(probe->probe.value).name,
                    one ? fmt::format("host {}", probe->who.index) : std::string("the hosts of the job")));
  }
  if (std::holds_alternative<Ask>(what))
    return event(std::nullopt, "The policy asks a person for the culprit");
  if (const auto* alert = std::get_if<Alert>(&what))
    return event(host_in(alert->who), fmt::format("The policy alerts a person: {}", name_of(alert->who)));
  return std::nullopt;
}

std::optional<ViewEvent> RecordWords::on(const Seen& seen, Time at) const {
  const Watch* watch = watch_of(seen.watch);
  if (watch == nullptr) return std::nullopt;
  const std::optional<HostId> host = host_in(seen.who);
  const std::string who = host ? fmt::format("Host {}", host->value) : std::string("The job");
  if (watch->signal == Signal::log_line) {
    const auto* match = std::get_if<Match>(&watch->until);
    const std::string line = match != nullptr && match->pattern.value < world_->patterns.size()
                                 ? world_->patterns[match->pattern.value]
                                 : "?";
    return ViewEvent{
        at, host, Kind::log_line,
        fmt::format("{} logs {} ({}){}", who, line, severity_text(seen.value), and_more(seen.more))};
  }
  if (watch->signal == Signal::process_exit)
    return ViewEvent{
        at, host, Kind::exit,
        fmt::format("A rank of {} exits with code {:g}{}", host ? fmt::format("host {}", host->value) : who,
                    seen.value, and_more(seen.more))};
  const std::string signal = words_of(enumerator(watch->signal));
  if (std::holds_alternative<Silence>(watch->until))
    return ViewEvent{
        at, host, watch->signal == Signal::heartbeat ? Kind::heartbeat : Kind::silence,
        seen.edge == Edge::ended
            ? fmt::format("{} is heard again: {}{}", who, signal, and_more(seen.more))
            : fmt::format("{} is silent: no {} for {}{}", who, signal,
                          to_text(std::get<Silence>(watch->until).longest), and_more(seen.more))};
  if (std::holds_alternative<Outside>(watch->until))
    return ViewEvent{
        at, host, Kind::signal,
        fmt::format("{}: {} is {} the usual range, {:.4g}{}", who, signal,
                    seen.edge == Edge::ended ? "back in" : "outside", seen.value, and_more(seen.more))};
  return std::nullopt;
}

std::optional<ViewEvent> RecordWords::on(const Outcome& outcome, Time at) const {
  if (const auto* granted = std::get_if<Granted>(&outcome.result))
    return ViewEvent{at, granted->host, Kind::outcome,
                     fmt::format("Host {} joins the job", granted->host.value)};
  if (const auto* answered = std::get_if<Answered>(&outcome.result))
    return ViewEvent{at, answered->found ? std::optional(answered->choice) : std::nullopt, Kind::person,
                     answered->found ? fmt::format("A person names host {}", answered->choice.value)
                                     : std::string("A person finds no culprit")};
  const auto asked = orders_.find(outcome.order);
  if (asked == orders_.end()) return std::nullopt;
  if (const auto* probed = std::get_if<Probed>(&outcome.result)) {
    const auto* probe = std::get_if<Probe>(&asked->second);
    const std::string name = probe != nullptr ? world_->probes.at(probe->probe.value).name : "?";
    return ViewEvent{
        at, host_in(probed->component), Kind::outcome,
        fmt::format("Probe {}: {} is {}", name, name_of(probed->component), enumerator(probed->verdict))};
  }
  if (const auto* loaded = std::get_if<Loaded>(&outcome.result))
    return ViewEvent{at, std::nullopt, Kind::loaded,
                     fmt::format("Training goes on after step {}", loaded->step)};
  if (const auto* saved = std::get_if<Saved>(&outcome.result))
    return ViewEvent{at, std::nullopt, Kind::outcome,
                     fmt::format("The checkpoint of step {} is durable", saved->step)};
  if (outcome.status == Status::failed && std::holds_alternative<Start>(asked->second))
    return ViewEvent{at, std::nullopt, Kind::outcome, "The start fails"};
  if (std::holds_alternative<Stop>(asked->second))
    return ViewEvent{at, std::nullopt, Kind::ranks_ended, "Every rank has ended"};
  return std::nullopt;
}

std::optional<ViewEvent> RecordWords::on(const Observed& seen) const {
  const Time at = seen.at;
  if (const auto* each = std::get_if<Seen>(&seen.what)) return on(*each, at);
  if (const auto* each = std::get_if<Outcome>(&seen.what)) return on(*each, at);
  if (const auto* each = std::get_if<HostReturned>(&seen.what))
    return ViewEvent{at, each->host, Kind::outcome, fmt::format("Host {} is repaired", each->host.value)};
  if (std::holds_alternative<Noticed>(seen.what))
    return ViewEvent{at, std::nullopt, Kind::person, "A person notices that the job stands still"};
  if (const auto* each = std::get_if<StopRequest>(&seen.what))
    return ViewEvent{at, std::nullopt, Kind::person,
                     fmt::format("An operator wants the job stopped for {}", to_text(each->hold))};
  if (const auto* each = std::get_if<OperatorActed>(&seen.what))
    return ViewEvent{at, std::nullopt, Kind::person,
                     fmt::format("An operator orders: {}", enumerator(each->what))};
  if (const auto* each = std::get_if<Finished>(&seen.what))
    return ViewEvent{at, std::nullopt, Kind::outcome,
                     fmt::format("The run ends: {}", words_of(enumerator(each->ending)))};
  return std::nullopt;
}

}  // namespace gauntlet
