// Orders and their outcomes, exactly one for each (core/action.hpp, core/observation.hpp); and the loop.
#include "core/contract.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::reference {

ReferenceCluster::ReferenceCluster(const World& world, Tape tape)
    : world_(&world), tape_(std::move(tape)), steps_(world), costs_(checkpoint_costs(world)) {
  // Hosts 0 .. job_hosts-1 carry the job, the next ones stand by (core/inventory.hpp): warm ones, then cold ones, then those of
  // the pool (SparesModel in models/world/world.hpp).
  const Inventory& inventory = world.inventory;
  hosts_.resize(inventory.hosts());
  const std::uint32_t warm = inventory.spares - world.spares.cold - world.spares.pool;
  kept_warm_ = warm;
  for (std::uint32_t h = 0; h < inventory.hosts(); ++h) {
    const HostId id{h};
    if (inventory.starts_in_job(id)) {
      host(id).place = Place::in_job;
      seats_.emplace_back(id);
    } else {
      const std::uint32_t spare = h - inventory.job_hosts;
      (spare < warm ? warm_ : spare < warm + world.spares.cold ? cold_ : pool_).push_back(id);
    }
    next_heartbeat(id);
  }
  crews_[0].size = world.repair.crew;
  crews_[1].size = world.repair.manual.crew;
  plan_strikes();
  for (const PlannedStop& stop : world.job.planned_stops)
    agenda_.at(stop.at, Rank::world, [this, stop] { observe(StopRequest{.job = {}, .hold = stop.hold}); });
  for (const ScriptedAction& action : world.operators)
    agenda_.at(action.at, Rank::world, [this, action] { operator_acts(action); });
  if (world.job.window > Duration::zero())
    agenda_.at(after(kStart, world.job.window), Rank::end, [this] { finish(Ending::time_over); });
  give_up_later();
  observe(Started{JobId{}, inventory});
}

std::optional<Observed> ReferenceCluster::next(Time until) {
  while (out_.empty()) {
    if (finished_ || agenda_.empty() || agenda_.next_time() > until) {
      if (until != kNever) agenda_.wait_until(until);
      return std::nullopt;
    }
    agenda_.run_next();
  }
  const Observed seen = out_.front();
  out_.pop_front();
  return seen;
}

void ReferenceCluster::start(const Order& order) {
  ++orders_;
  std::visit([&](const auto& action) { begin(order, action); }, order.what);
}

/// Tables operators.*: "stop" ends the run as soon as no rank runs; "readmit" ends a repair, and leaves the burn-in.
void ReferenceCluster::operator_acts(const ScriptedAction& action) {
  observe(OperatorActed{.job = {}, .what = action.what, .host = action.host, .scripted = true});
  if (action.what == OperatorAction::readmit) mend(action.host);
  ends_when_down_ = ends_when_down_ || action.what == OperatorAction::stop;
  if (action.what == OperatorAction::stop && ranks_ == Ranks::none) end_run();
}

void ReferenceCluster::end_run() {
  agenda_.after({}, Rank::end, [this] { finish(Ending::stopped); });
}

// --- outcomes --------------------------------------------------------------------------------------------------------

void ReferenceCluster::answer(const Open& open, Status status, const Result& result) {
  observe(Outcome{
      .order = open.order.id, .status = status, .took = agenda_.now() - open.began, .result = result});
}

void ReferenceCluster::answer_now(const Order& order, Status status, const Result& result) {
  answer(Open{.order = order, .began = agenda_.now()}, status, result);
}

ReferenceCluster::Open& ReferenceCluster::open(const Order& order, Duration takes) {
  Open& open = open_[order.id] = Open{.order = order, .began = agenda_.now()};
  const OrderId id = order.id;
  const bool timer = std::holds_alternative<Wake>(order.what);
  open.due = agenda_.after(takes, timer ? Rank::timer : Rank::world, [this, id] { order_due(id); });
  return open;
}

std::optional<ReferenceCluster::Open> ReferenceCluster::close(OrderId order) {
  const auto found = open_.find(order);
  if (found == open_.end()) return std::nullopt;
  Open open = found->second;
  agenda_.cancel(open.due);
  open_.erase(found);
  return open;
}

void ReferenceCluster::order_due(OrderId id) {
  const Order order = open_.at(id).order;
  if (std::holds_alternative<Start>(order.what)) return start_done();
  Result result;
  if (const auto* probe = std::get_if<Probe>(&order.what)) result = probe_result(*probe, probe_number_[id]);
  if (std::holds_alternative<Ask>(order.what)) result = person_answers();
  answer(*close(id), Status::done, result);
  if (ends_when_down_ && std::holds_alternative<Stop>(order.what)) end_run();
}

// --- orders ----------------------------------------------------------------------------------------------------------

void ReferenceCluster::begin(const Order& order, const Watch& action) {
  watch(action);
  answer_now(order, Status::done);
}
void ReferenceCluster::begin(const Order& order, const Unwatch& action) {
  unwatch(action.watch);
  answer_now(order, Status::done);
}
void ReferenceCluster::begin(const Order& order, const Wake& action) {
  open(order, std::max(action.at - agenda_.now(), Duration{}));
}

/// "the cancelled order answers `cancelled`, this one `done`" (core/action.hpp).
void ReferenceCluster::begin(const Order& order, const Cancel& action) {
  const auto cancelled = close(action.order);
  if (cancelled) {
    answer(*cancelled, Status::cancelled);
    std::erase(acquires_, action.order);
    if (std::holds_alternative<Checkpoint>(cancelled->order.what)) checkpoint_wanted_ = false;
    if (std::holds_alternative<Start>(cancelled->order.what)) ranks_ = Ranks::stuck;
  }
  answer_now(order, Status::done);
}

/// Standing: "`interval` counts training time alone, kForever ends it".
void ReferenceCluster::begin(const Order& order, const CheckpointEvery& action) {
  ordered_[static_cast<std::size_t>(action.tier)] = action.interval;
  plan_wanted_ = true;
  answer_now(order, Status::done);
}

/// "one, to storage, at the next step boundary; done when durable: Saved{step}".
void ReferenceCluster::begin(const Order& order, const Checkpoint&) {
  if (!training() && !evaluating_) return answer_now(order, Status::failed);
  checkpoint_wanted_ = plan_wanted_ = true;
  open(order, kForever);
}

void ReferenceCluster::begin(const Order& order, const Stop&) {
  const bool none = ranks_ == Ranks::none;
  stop_ranks();
  open(order, none ? Duration{} : world_->job.stop_time);
}

void ReferenceCluster::begin(const Order& order, const Start& action) { begin_start(order, action); }

void ReferenceCluster::begin(const Order& order, const Acquire&) {
  open(order, kForever);
  acquires_.push_back(order.id);
  grant();
}

void ReferenceCluster::begin(const Order& order, const Evict& action) {
  const bool holds_ranks = in_job(action.host) && ranks_ != Ranks::none;
  if (!in_service(action.host) || holds_ranks) return answer_now(order, Status::failed);
  take_out(action.host);
  answer_now(order, Status::done);
  grant();  // whoever waits for a host that was on its way needs another one
}

/// "a repaired host joins the spares".
void ReferenceCluster::begin(const Order& order, const Readmit& action) {
  if (host(action.host).place != Place::returned) return answer_now(order, Status::failed);
  stands_by(action.host);
  enters_service(action.host);
  answer_now(order, Status::done);
  grant();
}

/// Key probes.*.time: "to run once, on all hosts in parallel; with at_once, on those of one turn". Key at_once: "groups of hosts that run it
/// in one turn, the others later", whoever asked for them.
void ReferenceCluster::begin(const Order& order, const Probe& action) {
  probe_number_[order.id] = probes_++;
  const ProbeKind& what = world_->probes[action.probe.value];
  if (what.at_once == 0) {
    open(order, what.time);
    return;
  }
  std::multiset<Time>& places = turns_[action.probe.value];
  while (places.size() < what.at_once) places.insert(kStart);
  std::set<std::uint32_t> groups;
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) groups.insert(slot / what.group);
  Time last = agenda_.now();
  for (std::size_t turn = action.who.subset == Scope::Subset::one ? 1 : groups.size(); turn > 0; --turn) {
    const Time ends = std::max(agenda_.now(), *places.begin()) + what.time;
    places.erase(places.begin());
    places.insert(ends);
    last = std::max(last, ends);
  }
  open(order, last - agenda_.now());
}

/// Key people.response: "until a person who was asked has found the culprit". Who was asked need not notice by himself.
void ReferenceCluster::begin(const Order& order, const Ask&) {
  nobody_notices();
  agenda_.cancel(start_notice_);
  open(order, from_seconds(world_->people.response.mean()));
}

void ReferenceCluster::begin(const Order& order, const Alert&) { answer_now(order, Status::done); }

void ReferenceCluster::begin(const Order& order, const Retire& action) {
  Host& leaving = host(action.host);
  if (leaving.place != Place::in_repair && leaving.place != Place::returned)
    return answer_now(order, Status::failed);
  drop_from_repair(action.host);
  leaving.place = Place::retired;
  end_faults([&](const Fault& fault) { return sits_in_host(fault) && fault.hosts.contains(action.host); });
  answer_now(order, Status::done);
}

/// "the hosts of a job without ranks go back to the cluster and cost nothing, until the next Start".
void ReferenceCluster::begin(const Order& order, const Release&) {
  provisioned_ = false;
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) lose_memory(slot);  // others use it meanwhile
  answer_now(order, Status::done);
}

/// "of a job without ranks: it joins the spares, and its slot is empty".
void ReferenceCluster::begin(const Order& order, const StandBy& action) {
  const auto slot = slot_of(action.host);
  if (ranks_ != Ranks::none || !slot) return answer_now(order, Status::failed);
  seats_[*slot].reset();
  vacant_.push_back(*slot);
  host(action.host).place = Place::spare;
  warm_.push_front(action.host);
  answer_now(order, Status::done);
  grant();
}

// --- probes and people -----------------------------------------------------------------------------------------------

/// Whether a probe finds something on a host: surely, or by what the tape says of chance. It finds each fault that is there
/// with the probability of its kind (key probes.*.detects).
bool ReferenceCluster::finds(const ProbeKind& probe, HostId id, bool failed) const {
  if (hosts_[id.value].silenced_by > 0) return true;  // it answers no probe at all
  for (const Fault& fault : faults_) {
    if (!fault.hosts.contains(id) || probe.detects.empty()) continue;
    const double chance = probe.detects[fault.kind.value].value;
    if (chance == 1 || (chance > 0 && failed)) return true;
  }
  return false;
}

/// A probe fails for all of a group of neighbours, or for none of them; a group that is healthy may be accused (keys probes.*).
/// Of one host alone it fails or not. The hosts with the oldest faults come first, then those that are accused.
std::vector<HostId> ReferenceCluster::failing(const Probe& probe, const std::vector<HostId>& failed) const {
  const ProbeKind& what = world_->probes[probe.probe.value];
  const auto failed_it = [&](HostId id) {
    return std::find(failed.begin(), failed.end(), id) != failed.end();
  };
  const bool accuses = what.false_positive.value > 0;
  if (probe.who.subset == Scope::Subset::one) {
    const HostId id{probe.who.index};
    if (finds(what, id, failed_it(id)) || (accuses && failed_it(id))) return {id};
    return {};
  }
  const auto group_of = [&](HostId id) { return *slot_of(id) / what.group; };
  std::vector<std::uint32_t> groups;
  const auto add = [&](std::uint32_t group) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  };
  std::vector<HostId> oldest_first;
  for (const Fault& fault : faults_)
    for (std::uint32_t i = 0; i < fault.hosts.count; ++i) {
      const HostId id{fault.hosts.first.value + i};
      const bool listed = std::find(oldest_first.begin(), oldest_first.end(), id) != oldest_first.end();
      if (slot_of(id) && !listed) oldest_first.push_back(id);
    }
  // Of a group that chance may have found by one host or another, the tape says when: the groups are told as they were found.
  const auto told_next = [&](HostId id) {
    for (const HostId told : failed) {
      const bool added =
          slot_of(told) && std::find(groups.begin(), groups.end(), group_of(told)) != groups.end();
      if (slot_of(told) && !added) return group_of(told) == group_of(id);
    }
    return false;
  };
  for (const HostId id : oldest_first)
    if (finds(what, id, false) || (finds(what, id, failed_it(id)) && told_next(id))) add(group_of(id));
  std::set<std::uint32_t> healthy;
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) healthy.insert(slot / what.group);
  for (const Fault& fault : faults_)
    for (const std::uint32_t slot : slots_of(fault)) healthy.erase(slot / what.group);
  for (const HostId id : failed)
    if (accuses && slot_of(id) && healthy.contains(group_of(id))) add(group_of(id));
  std::vector<HostId> hosts;
  for (const std::uint32_t group : groups)
    for (std::uint32_t slot = group * what.group; slot < (group + 1) * what.group && slot < seats_.size();
         ++slot)
      if (seats_[slot]) hosts.push_back(*seats_[slot]);
  return hosts;
}

/// Failing members arrive as Seen, then Probed, with how many they are (core/action.hpp, core/observation.hpp).
Result ReferenceCluster::probe_result(const Probe& probe, std::size_t number) {
  const std::vector<HostId> hosts = failing(probe, tape_.failed_probe(number));
  for (const HostId id : hosts)
    observe(Seen{.watch = probe.report,
                 .who = component(id),
                 .edge = Edge::sample,
                 .sensed = agenda_.now(),
                 .value = 1});
  return Probed{
      .component = hosts.empty() ? ComponentId{probe.who.kind, probe.who.index} : component(hosts.front()),
      .verdict = hosts.empty() ? Verdict::healthy : Verdict::faulty,
      .value = static_cast<double>(hosts.size())};
}

/// "a person finds the culprit", of the faults that stop the job the first that repair ends; found: "the person names a
/// culprit, else there is none" (core/action.hpp, core/observation.hpp). What only a person can end is ended (Remedy::person in
/// models/fault/fault.hpp).
Answered ReferenceCluster::person_answers() {
  end_faults([this](const Fault& fault) { return kind(fault).remedy == Remedy::person && on_job(fault); });
  for (const Fault& fault : faults_) {
    if (!on_job(fault) || !stops_job(kind(fault).effect) || kind(fault).remedy != Remedy::repair) continue;
    for (std::uint32_t i = 0; i < fault.hosts.count; ++i) {
      const HostId id{fault.hosts.first.value + i};
      if (in_job(id)) return {.choice = id, .found = true};
    }
  }
  return {.choice = HostId{}, .found = false};
}

template <class Action>
ReferenceCluster::Open* ReferenceCluster::find_open() {
  for (auto& [id, each] : open_)
    if (std::holds_alternative<Action>(each.order.what)) return &each;
  return nullptr;
}
template ReferenceCluster::Open* ReferenceCluster::find_open<Ask>();
template ReferenceCluster::Open* ReferenceCluster::find_open<Start>();
template ReferenceCluster::Open* ReferenceCluster::find_open<Checkpoint>();

}  // namespace gauntlet::reference
