#include "commands/view/view.hpp"

#include "commands/view/record_window.hpp"
#include "commands/view/sentences.hpp"
#include "core/component.hpp"
#include "models/topology/shape.hpp"
#include "models/world/blast_radius.hpp"
#include "policies/diagnose/hang_localisation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

template <class Value>
Runs<Value> runs_of(const std::vector<Value>& values) {
  Runs<Value> runs;
  for (const Value& each : values) {
    if (!runs.empty() && runs.back().second == each) {
      ++runs.back().first;
    } else {
      runs.emplace_back(1, each);
    }
  }
  return runs;
}

/// The ranks that a component holds on the host of a slot.
std::vector<std::uint32_t> ranks_on(const World& world, ComponentId component, std::uint32_t slot) {
  const std::uint32_t gpus = world.inventory.gpus_per_host, nics = world.hardware.nics_per_host;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    if (component.kind == ComponentKind::gpu && component.index % gpus != gpu) continue;
    // GPUs share the NICs of their host evenly, neighbours first, as in models/topology.
    if (component.kind == ComponentKind::nic && nics > 0 && component.index % nics != gpu * nics / gpus)
      continue;
    ranks.push_back(rank_of_seat({slot, gpu}, gpus));
  }
  return ranks;
}

/// What a page needs to know of a run for each of its incidents.
struct Story {
  const ViewSource& source;
  const SeatLog& seats;
  const RecordWindow& record;

  const World& world() const { return source.scenario.world; }
};

Inventory inventory_before(const Story& story, Time at) {
  return with_replicas(story.world().inventory, story.seats.layout_before(at).dp);
}

/// Adds the ranks that `component` holds on a host, where the host is in the job.
void add_culprits(const Story& story, ComponentId component, HostId host, ViewIncident& out) {
  const auto slots = story.seats.slots_before(out.opened);
  const auto slot = std::find(slots.begin(), slots.end(), std::optional(host));
  out.culprit_hosts.push_back(host);
  if (slot == slots.end()) return;
  const std::uint32_t ranks = story.seats.layout_before(out.opened).ranks();
  for (const std::uint32_t rank :
       ranks_on(story.world(), component, static_cast<std::uint32_t>(slot - slots.begin())))
    if (rank < ranks) out.culprits.push_back(rank);
}

void find_culprits(const Story& story, const Incident& incident, Time before, ViewIncident& out) {
  if (story.source.scored) {
    if (!is_fault(incident.cause) || incident.component.kind == ComponentKind::job) return;
    out.basis = CulpritBasis::truth;
    const HostRange hosts = hosts_of(story.world(), incident.component);
    for (std::uint32_t i = 0; i < hosts.count; ++i)
      add_culprits(story, incident.component, HostId{hosts.first.value + i}, out);
  } else if (!out.silent_slots.empty()) {
    out.basis = CulpritBasis::answers;
    const auto slots = story.seats.slots_before(out.opened);
    for (const std::uint32_t slot : out.silent_slots)
      if (slots[slot]) add_culprits(story, component(*slots[slot]), *slots[slot], out);
  } else if (const auto host = story.record.exited(std::max(before, out.opened - kLead), out.closed)) {
    out.basis = CulpritBasis::exit;
    add_culprits(story, component(*host), *host, out);
  } else {
    for (const HostId host : story.record.evicted(out.opened, out.closed)) {
      out.basis = CulpritBasis::decision;
      add_culprits(story, component(host), host, out);
    }
  }
  std::sort(out.culprits.begin(), out.culprits.end());
}

/// `before`: the end of the incident before. An incident that nobody scored opens with the order to stop, and hosts are asked before that.
void find_answers(const Story& story, Time before, ViewIncident& out) {
  const Time from = story.source.scored ? out.opened : std::max(before, out.opened - kLead);
  const auto asked = story.record.answers(from, out.closed);
  if (!asked) return;
  const Inventory inventory = inventory_before(story, asked->at);
  const auto slots = story.seats.slots_before(asked->at);
  std::vector<std::optional<Dimension>> answers(inventory.job_hosts);
  for (std::uint32_t slot = 0; slot < answers.size(); ++slot) {
    if (!slots[slot]) continue;
    const auto answer = asked->by_host.find(*slots[slot]);
    if (answer != asked->by_host.end()) answers[slot] = answer->second;
  }
  for (const std::uint32_t slot : slots_waited_for(inventory, answers))
    if (!answers[slot]) out.silent_slots.push_back(slot);
  out.asked_at = asked->at;
  out.answers = runs_of(answers);
}

/// Whether ranks that are well stop for its sake.
bool holds_others_up(std::string_view effect) {
  return effect != "none" && effect != "corrupt" && effect != "planned" && effect != "preempt";
}

ViewIncident view_of(const Story& story, const Incident& incident, Time before) {
  ViewIncident out;
  out.opened = incident.opened;
  out.closed = incident.closed;
  const std::uint32_t cause = incident.cause.value;
  if (is_fault(incident.cause)) {
    const FaultKind& fault = story.world().faults.at(fault_of(incident.cause).value);
    out.cause = fault.name;
    out.effect = text_of(fault.effect);
  } else {
    out.cause = story.source.scored ? std::string(kCauseNames.at(cause)) : "stop";
  }
  out.component = name_of(incident.component);
  if (incident.detected) out.detected_after = incident.detection_latency;
  out.stops = incident.stops;
  out.restarts = incident.restarts;
  for (const Duration part : incident.lost) out.lost += part;
  find_answers(story, before, out);
  find_culprits(story, incident, before, out);
  if (!story.source.scored && !out.culprit_hosts.empty())
    out.component = name_of(component(out.culprit_hosts.front()));
  if (!out.culprits.empty() && holds_others_up(out.effect))
    out.spread = runs_of(spread_of(story.seats.layout_before(out.opened), out.culprits));
  return out;
}

ViewPlaces places_of(const World& world) {
  const FabricShape shape =
      fabric_shape(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware, world.fabric);
  return {.hosts_per_group = std::max(1U, shape.hosts_per_group),
          .hosts_per_rack = std::max(1U, shape.hosts_per_rack),
          .hosts_per_pod = std::max(1U, shape.hosts_per_group * shape.groups_per_pod),
          .nics_per_host = std::max(1U, shape.nics_per_host)};
}

}  // namespace

std::vector<Incident> incidents_of(const ViewSource& source) {
  return source.scored ? source.incidents : ordered_stops(source.record);
}

View view_of(const ViewSource& source, std::optional<std::size_t> only) {
  const World& world = source.scenario.world;
  View view;
  view.title = world.name;
  view.origin = source.origin;
  view.drill = source.drill;
  view.notes = source.notes;
  view.places = places_of(world);
  view.seats = seat_log_of(source.record, world.inventory);
  view.wall = source.record.observations.empty() ? Duration{} : source.record.observations.back().at - kStart;

  const std::vector<Incident> all = incidents_of(source);
  const std::vector<Incident> incidents = only ? std::vector{all.at(*only)} : all;
  const Time first = only && *only > 0 ? all[*only - 1].closed : kStart;
  const RecordWindow record(source.record, world);
  const Story story = {source, view.seats, record};
  Time before = first;
  std::size_t numbers = 0;
  for (const Incident& each : incidents) {
    if (view.incidents.size() == kMostViewIncidents || numbers > kMostViewNumbers) break;
    const ViewIncident& shown = view.incidents.emplace_back(view_of(story, each, before));
    numbers += 3 * shown.spread.size() + 2 * shown.answers.size() + shown.culprits.size();
    before = each.closed;
  }
  view.incidents_left_out = incidents.size() - view.incidents.size();
  record.add_events(view.incidents, first, kMostViewEvents);
  view.signals = only ? record.signals(incidents.front().opened, incidents.front().closed, kMostViewSamples)
                      : record.signals(kStart, kNever, kMostViewSamples);
  view.numbered_from = only.value_or(0);
  return view;
}

}  // namespace gauntlet
