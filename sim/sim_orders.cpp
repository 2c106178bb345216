// Orders to the simulated cluster and their outcomes: exactly one for each.
#include "core/math/elementary.hpp"
#include "core/record/codec.hpp"
#include "core/reseat.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <limits>

namespace gauntlet {

void SimCluster::start(const Order& order) {
  fold(order, engine_.fingerprint());
  ++orders_;
  if (finished_) return;
  std::visit([&](const auto& action) { begin(order, action); }, order.what);
}

// --- bookkeeping -----------------------------------------------------------------------------------------------------

void SimCluster::answer(OrderId order, Time began, Status status, const Result& result) {
  Outcome& outcome = out_.add<Outcome>(engine_.now());
  outcome.order = order;
  outcome.status = status;
  outcome.took = engine_.now() - began;
  outcome.result = result;
}

SimCluster::OpenOrder& SimCluster::open(const Order& order, Time due, Priority priority) {
  open_.push_back({order, engine_.now(), engine_.at(due, priority, OrderDue{order.id})});
  return open_.back();
}

/// Orders are numbered as they are given, so that they are open in the order of their numbers.
std::optional<SimCluster::OpenOrder> SimCluster::close(OrderId order) {
  const auto found = std::lower_bound(open_.begin(), open_.end(), order,
                                      [](const OpenOrder& each, OrderId id) { return each.order.id < id; });
  if (found == open_.end() || found->order.id != order) return std::nullopt;
  OpenOrder closed = *found;
  open_.erase(found);
  engine_.cancel(closed.due);
  return closed;
}

template <class ActionType>
SimCluster::OpenOrder* SimCluster::find_open() {
  const auto found = std::find_if(open_.begin(), open_.end(), [](const OpenOrder& each) {
    return std::holds_alternative<ActionType>(each.order.what);
  });
  return found == open_.end() ? nullptr : &*found;
}

template <class ActionType>
void SimCluster::fail_open() {
  while (const OpenOrder* failing = find_open<ActionType>())
    answer(*close(failing->order.id), Status::failed);
}

template void SimCluster::fail_open<Checkpoint>();
template SimCluster::OpenOrder* SimCluster::find_open<Acquire>();
template SimCluster::OpenOrder* SimCluster::find_open<Start>();

void SimCluster::on(const StartFails& event) {
  if (const auto closed = close(event.order)) answer(*closed, Status::failed);
}

void SimCluster::on(const OrderDue& event) {
  const auto closed = close(event.order);
  if (!closed) return;
  if (std::holds_alternative<Start>(closed->order.what)) {
    engine_.cancel(start_notice_);
    begin_training();
    answer(*closed, Status::done, Loaded{loading_.step});
    return_faults(Returning::in_training);
  } else if (const auto* probe = std::get_if<Probe>(&closed->order.what)) {
    answer(*closed, Status::done, examine(*probe));
  } else if (std::holds_alternative<Checkpoint>(closed->order.what)) {
    answer(*closed, Status::done, Saved{closed->step});
  } else if (std::holds_alternative<Ask>(closed->order.what)) {
    const std::optional<HostId> culprit = deal_with_culprit();
    answer(*closed, Status::done, Answered{culprit.value_or(HostId{}), culprit.has_value()});
  } else {
    answer(*closed, Status::done);  // Wake, Stop
  }
}

// --- watching and waiting --------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Watch& action) {
  // Hosts are silent each on their own, whoever they work for.
  const bool alone = action.signal == Signal::heartbeat &&
                     (action.who.subset == Scope::Subset::job || action.first != kEachMember);
  const bool carried = world_->telemetry.carries[static_cast<std::size_t>(action.signal)];
  if (alone || !carried) return answer_now(order, Status::failed);
  switch (action.signal) {
    case Signal::heartbeat:
    case Signal::process_exit:
      heartbeats_->watch(action);
      break;
    case Signal::log_line:
      expect(std::holds_alternative<Match>(action.until), "log lines are matched");
      log_watches_.push_back({.id = action.id,
                              .pattern = std::get<Match>(action.until).pattern,
                              .who = action.who,
                              .first = action.first,
                              .told = 0,
                              .held_back = {},
                              .held = 0});
      break;
    case Signal::step:
    case Signal::checkpoint_stall:
    case Signal::loss:
      signals_->watch(action);
      break;
    case Signal::forward_time:
    case Signal::backward_time:
    case Signal::traffic:
    case Signal::traffic_period:
      if (!host_signals_->watch(action)) return answer_now(order, Status::failed);
      break;
    case Signal::last_collective:
      if (!std::holds_alternative<Sample>(action.until)) return answer_now(order, Status::failed);
      tell_last_collectives(action);
      break;
  }
  answer_now(order, Status::done);
}

void SimCluster::begin(const Order& order, const Unwatch& action) {
  heartbeats_->unwatch(action.watch);
  signals_->unwatch(action.watch);
  host_signals_->unwatch(action.watch);
  std::erase_if(log_watches_, [&](const LogWatch& each) { return each.id == action.watch; });
  answer_now(order, Status::done);
}

void SimCluster::begin(const Order& order, const Wake& action) {
  open(order, std::max(action.at, engine_.now()), Priority::timer);
}

void SimCluster::begin(const Order& order, const Cancel& action) {
  if (const auto closed = close(action.order)) {
    if (std::holds_alternative<Start>(closed->order.what)) ranks_ = RanksState::stuck;
    answer(*closed, Status::cancelled);
  }
  answer_now(order, Status::done);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const CheckpointEvery& action) {
  intervals_[static_cast<std::size_t>(action.tier)] = action.interval;
  change_at_boundary();
  answer_now(order, Status::done);
}

/// While it is evaluated a job stands between two steps, and saves when it goes on.
void SimCluster::begin(const Order& order, const Checkpoint&) {
  if (gang_.state() != Gang::State::training && !evaluating_) return answer_now(order, Status::failed);
  open(order, kNever, Priority::world);
  checkpoint_wanted_ = true;
  change_at_boundary();
}

// --- the job's ranks ---------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Stop&) {
  cut_training();
  signals_->gone();
  host_signals_->gone();
  heartbeats_->ranks_stopped();
  victims_->clear();
  engine_.hold(collective_timer_);
  engine_.cancel(notice_);
  fail_open<Start>();
  const bool running = ranks_ != RanksState::none;
  ranks_ = RanksState::none;
  open(order, after(engine_.now(), running ? world_->job.stop_time : Duration::zero()), Priority::world);
}

void SimCluster::begin(const Order& order, const Start& action) {
  if (ranks_ != RanksState::none || !resize(action.replicas)) return answer_now(order, Status::failed);
  collective_timeout_ = action.collective_timeout;
  end_faults_that_restart_removes();
  ranks_ = RanksState::starting;
  engine_.cancel(notice_);
  begin_start(action);
  open(order, loading_.due, Priority::world);
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    if (kind_of(active_[ref]).halts_storage) hold_load_until(active_[ref].heals);
  }
  return_faults(Returning::at_start);
  for (const Strike& each : arrivals_->at_start_of_job(starts_++)) strike(each);
}

// --- hosts -----------------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Acquire&) {
  open(order, kNever, Priority::world);
  grant_spares();
}

void SimCluster::begin(const Order& order, const Evict& action) {
  const HostId host = action.host;
  const HostState state = hosts_[host.value];
  const bool holds_ranks = state == HostState::in_job && ranks_ != RanksState::none;
  if ((state != HostState::in_job && state != HostState::spare) || holds_ranks) {
    return answer_now(order, Status::failed);
  }
  if (state == HostState::in_job) {
    leave_job(host);
  } else {
    spares_->remove(host);
  }
  host_becomes(host, HostState::in_repair);
  arrivals_->turn_off(FaultClock::always, host, to_seconds(engine_.now() - kStart));
  schedule_faults(FaultClock::always);
  heartbeats_->leave_service(host);
  repair(host);
  answer_now(order, Status::done);
  grant_spares();  // whoever waits for a host that was on its way needs another one
}

/// Its slot is empty then. A host that joined for a replica that the job lacks has none yet.
void SimCluster::leave_job(HostId host) {
  arrivals_->turn_off(FaultClock::training, host, training_clock());
  if (std::erase(beyond_, host) > 0) return;
  lose_memory(host);
  vacant_.push_back(seats_.slot_of(host));
}

void SimCluster::begin(const Order& order, const StandBy& action) {
  if (!in_job(action.host) || ranks_ != RanksState::none) return answer_now(order, Status::failed);
  leave_job(action.host);
  host_becomes(action.host, HostState::spare);
  spares_->rest(action.host);
  answer_now(order, Status::done);
}

/// The job has so many replicas from now on, as Start says. False, and nothing done, where its hosts are not just those.
bool SimCluster::resize(std::uint32_t replicas) {
  const Layout& all = whole_.layout();
  if (replicas == 0) replicas = all.dp;
  if (replicas == size_->layout().dp) {
    if (beyond_.empty()) return vacant_.empty();
  } else {
    const std::uint32_t unit = replicas_in_whole_hosts(all, world_->hardware.gpus_per_host);
    if (unit == 0 || replicas > all.dp || replicas % unit != 0) return false;
  }
  const std::uint32_t hosts =
      replicas == all.dp ? whole_.hosts() : with_replicas(world_->inventory, replicas).job_hosts;
  if (size_->hosts() - vacant_.size() + beyond_.size() != hosts) return false;

  // The step model of a size is made once, when it first comes about.
  JobSize* sized = &whole_;
  if (replicas != all.dp)
    sized = &smaller_.try_emplace(replicas, *world_, replicas, whole_.healthy_step()).first->second;
  const Reseating moved = reseat(size_->hosts(), hosts, vacant_, beyond_,
                                 [this](std::uint32_t slot) { return seats_.host(slot); });
  ensure(moved.left.empty() && moved.vacant.empty(), "the hosts of the job fill its slots");
  // What memory holds is the state of ranks that are others now; at the same size, that of those who left is gone already.
  for (std::uint32_t slot = 0; sized != size_ && slot < std::max(hosts, size_->hosts()); ++slot)
    memory_lost_.emplace_back(engine_.now(), slot);
  beyond_.clear();
  vacant_.clear();
  seats_.resize(sized->layout(), hosts);
  for (const auto& [slot, host] : moved.seated) seats_.seat(slot, host);
  size_ = sized;
  host_signals_->resized(sized->stage_timings());
  return true;
}

void SimCluster::begin(const Order& order, const Readmit& action) {
  if (hosts_[action.host.value] != HostState::returned) return answer_now(order, Status::failed);
  host_becomes(action.host, HostState::spare);
  spares_->add(action.host, hosts_wanted());
  heartbeats_->enter_service(action.host);
  answer_now(order, Status::done);
  grant_spares();
}

// --- diagnosis -------------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Probe& action) {
  open(order, after(engine_.now(), world_->probes[action.probe.value].time), Priority::world);
}

static constexpr StreamName kAccuses = stream_name("probe.accuses");
static constexpr std::uint32_t kEveryHost = std::numeric_limits<std::uint32_t>::max();

/// Whether a fault is found is the fault's own chance, probe for probe.
bool SimCluster::finds(const ProbeKind& probe, HostId host) {
  for (const FaultRef ref : active_.of(host)) {
    ActiveFault& fault = active_[ref];
    if (kind_of(fault).symptoms.heartbeat_lost) return true;  // it does not answer at all
    const double chance = probe.detects[fault.kind.value].value;
    const std::uint64_t whose = component_now(fault.struck, fault.component.index);
    if (chance > 0 && uniform_at(seed_, probe_names_[fault.kind.value], whose, fault.probed++) < chance)
      return true;
  }
  return false;
}

/// The hosts of the job that a probe may find something on, in the order in which their first faults struck.
std::vector<HostId> SimCluster::hosts_to_find() const {
  std::vector<std::pair<std::uint32_t, HostId>> found;
  for (const FaultRef ref : active_.on_job(Concern::probes)) {
    any_host(active_[ref].hosts, [&](HostId host) {
      if (in_job(host)) found.emplace_back(active_.first_of(host).number, host);
      return false;
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<HostId> hosts;
  for (const auto& [number, host] : found) hosts.push_back(host);
  return hosts;
}

/// On the hosts that sit there.
bool SimCluster::any_fault_in(SlotRange slots) const {
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) {
    const HostId host = seats_.host(slot);
    if (in_job(host) && seats_.slot_of(host) == slot && active_.first_of(host).number > 0) return true;
  }
  return false;
}

/// Of the hosts of the job, examined in groups of neighbours.
std::vector<HostId> SimCluster::failing_hosts(ProbeId number) {
  const ProbeKind& probe = world_->probes[number.value];
  const std::uint32_t size = std::max(1U, probe.group);
  const std::uint32_t groups = (seats_.count() + size - 1) / size;
  const auto slots_of = [&](std::uint32_t group) {
    return SlotRange{group * size, std::min((group + 1) * size, seats_.count())};
  };
  std::vector<std::uint32_t> failing;
  const auto add = [&failing](std::uint32_t group) {
    if (std::find(failing.begin(), failing.end(), group) == failing.end()) failing.push_back(group);
  };
  for (const HostId host : hosts_to_find())
    if (finds(probe, host)) add(seats_.slot_of(host) / size);
  // Healthy groups that are accused are rare: skip from one to the next, a geometric number ahead.
  if (const double false_positive = probe.false_positive.value; false_positive > 0) {
    Stream draws = draws_of(kAccuses, nth_of(kEveryHost, number.value));
    const double log_miss = math_log1p(-std::min(false_positive, 1 - 1e-12));
    for (double group = 0;; group += 1) {
      group += static_cast<double>(
          static_cast<std::int64_t>(std::min(1e15, math_log(draws.uniform()) / log_miss)));
      if (group >= groups) break;
      const auto number = static_cast<std::uint32_t>(group);
      if (!any_fault_in(slots_of(number))) add(number);
    }
  }
  std::vector<HostId> hosts;
  for (const std::uint32_t group : failing) {
    const SlotRange slots = slots_of(group);
    for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot)
      if (in_job(seats_.host(slot))) hosts.push_back(seats_.host(slot));
  }
  return hosts;
}

Result SimCluster::examine(const Probe& action) {
  const ProbeKind& probe = world_->probes[action.probe.value];
  std::vector<HostId> failing;
  if (action.who.subset == Scope::Subset::one) {
    const HostId host{action.who.index};  // with partners that are known to be good, where it needs some
    Stream draws = draws_of(kAccuses, nth_of(host.value, action.probe.value));
    const double false_positive = probe.false_positive.value;
    if (finds(probe, host) || (false_positive > 0 && draws.uniform() < false_positive))
      failing.push_back(host);
  } else {
    failing = failing_hosts(action.probe);
  }
  const Time now = engine_.now();
  for (const HostId host : failing) {
    out_.push(now, Seen{.watch = action.report,
                        .who = component(host),
                        .edge = Edge::sample,
                        .sensed = now,
                        .value = 1,
                        .more = 0});
  }
  return Probed{
      .component = failing.empty() ? ComponentId{action.who.kind, action.who.index} : component(failing[0]),
      .verdict = failing.empty() ? Verdict::healthy : Verdict::faulty,
      .value = static_cast<double>(failing.size())};
}

/// What a person who was asked does: what only a person can mend is mended, and a host that stops the job is named.
std::optional<HostId> SimCluster::deal_with_culprit() {
  const std::vector<FaultRef>& for_people = active_.on_job(Concern::person);
  while (!for_people.empty()) end_fault(for_people.back());
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (!stops_job(kind_of(fault).effect) || kind_of(fault).remedy != Remedy::repair) continue;
    std::optional<HostId> culprit;
    any_host(fault.hosts, [&](HostId host) {
      if (in_job(host)) culprit = host;
      return culprit.has_value();
    });
    if (culprit) return culprit;
  }
  return std::nullopt;
}

void SimCluster::begin(const Order& order, const Ask&) {
  engine_.cancel(notice_);
  engine_.cancel(start_notice_);
  static constexpr StreamName kResponse = stream_name("person.response");
  Stream draws = stream_now(seed_, kResponse, stopped_.by, stopped_.draws.asked++);
  open(order, after(engine_.now(), from_seconds(world_->people.response.sample(draws))), Priority::world);
}

void SimCluster::begin(const Order& order, const Alert&) { answer_now(order, Status::done); }

/// What is wrong with the host goes with it.
void SimCluster::begin(const Order& order, const Retire& action) {
  const HostId host = action.host;
  const HostState state = hosts_[host.value];
  if (state != HostState::in_repair && state != HostState::returned) return answer_now(order, Status::failed);
  shop_->drop(host);
  host_becomes(host, HostState::retired);
  end_faults_of(host);
  arrivals_->turn_off(FaultClock::always, host, to_seconds(engine_.now() - kStart));
  schedule_faults(FaultClock::always);
  answer_now(order, Status::done);
}

/// The hosts stay where they are until the next Start; who pays for them in between is the score's affair.
void SimCluster::begin(const Order& order, const Release&) {
  if (ranks_ != RanksState::none) return answer_now(order, Status::failed);
  for (std::uint32_t slot = 0; slot < seats_.count(); ++slot) memory_lost_.emplace_back(engine_.now(), slot);
  has_hosts_ = false;
  answer_now(order, Status::done);
}

}  // namespace gauntlet
