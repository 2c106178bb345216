// Orders to the simulated cluster and their outcomes: exactly one for each.
#include "core/record/codec.hpp"
#include "core/saturating.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace gauntlet {

void SimCluster::start(const Order& order) {
  fold(order, engine_.fingerprint());
  orders_.count();
  if (finished_) return;
  std::visit([&](const auto& action) { begin(order, action); }, order.what);
}

void SimCluster::on(const StartFails& event) {
  if (const auto closed = orders_.close(event.order)) orders_.answer(*closed, Status::failed);
}

void SimCluster::on(const OrderDue& event) {
  const auto closed = orders_.close(event.order);
  if (!closed) return;
  if (std::holds_alternative<Start>(closed->order.what)) {
    people_.job_has_started();
    begin_training();
    orders_.answer(*closed, Status::done, Loaded{start_.loads().step});
    return_faults(Faults::Returning::in_training);
  } else if (const auto* probe = std::get_if<Probe>(&closed->order.what)) {
    orders_.answer(*closed, Status::done, examine(*probe));
  } else if (std::holds_alternative<Checkpoint>(closed->order.what)) {
    orders_.answer(*closed, Status::done, Saved{checkpoints_.close(event.order)});
  } else if (std::holds_alternative<Ask>(closed->order.what)) {
    const std::optional<HostId> culprit = deal_with_culprit();
    orders_.answer(*closed, Status::done, Answered{culprit.value_or(HostId{}), culprit.has_value()});
  } else {
    orders_.answer(*closed, Status::done);  // Wake, Stop
    if (ends_when_down_ && std::holds_alternative<Stop>(closed->order.what)) end_run();
  }
}

// --- watching and waiting --------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Watch& action) {
  if (!monitoring_.watch(action)) return answer_now(order, Status::failed);
  if (action.signal == Signal::last_collective && training_.stands_still())
    monitoring_.tell_last_collectives(action, faults_.culprit_slots());
  answer_now(order, Status::done);
}

void SimCluster::begin(const Order& order, const Unwatch& action) {
  monitoring_.unwatch(action.watch);
  answer_now(order, Status::done);
}

void SimCluster::begin(const Order& order, const Wake& action) {
  orders_.open(order, std::max(action.at, engine_.now()), Priority::timer);
}

void SimCluster::begin(const Order& order, const Cancel& action) {
  if (const auto closed = orders_.close(action.order)) {
    if (std::holds_alternative<Start>(closed->order.what)) training_.stick();
    if (std::holds_alternative<Checkpoint>(closed->order.what)) checkpoints_.close(action.order);
    orders_.answer(*closed, Status::cancelled);
  }
  answer_now(order, Status::done);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const CheckpointEvery& action) {
  checkpoints_.every(action.tier, action.interval);
  training_.change_at_boundary();
  answer_now(order, Status::done);
}

/// While it is evaluated a job stands between two steps, and saves when it goes on.
void SimCluster::begin(const Order& order, const Checkpoint&) {
  if (!training_.runs() && !training_.evaluations().under_way()) return answer_now(order, Status::failed);
  orders_.open(order, kNever);
  checkpoints_.ordered(order.id);
  training_.checkpoint_at_boundary();
}

// --- the job's ranks ---------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Stop&) {
  cut_training();
  monitoring_.ranks_stopped();
  people_.job_is_handled();
  orders_.fail<Start>();
  const bool running = training_.stop();
  orders_.open(order, after(engine_.now(), running ? world_->job.stop_time : Duration::zero()));
}

void SimCluster::begin(const Order& order, const Start& action) {
  if (training_.ranks() != TrainingJob::Ranks::none || !resize_job(action.replicas))
    return answer_now(order, Status::failed);
  const std::vector<FaultRef>& cured = faults_.on_job(Concern::restart);
  while (!cured.empty()) end_fault(cured.back());
  training_.start(action.collective_timeout);
  people_.job_is_handled();
  start_.begin(action, checkpoints_.choose(action, training_.gang()), hosts_.size().layout().ranks(),
               faults_.stop(), engine_.now());
  orders_.open(order, start_.due());
  for (const FaultRef ref : faults_.on_job(Concern::holds))
    if (faults_.kind_of(faults_[ref]).halts_storage) hold_load_until(faults_[ref].heals);
  return_faults(Faults::Returning::at_start);
  for (const Strike& each : faults_.clocks().at_start_of_job()) strike(each);
}

/// The job has so many replicas from now on. False where the number of its hosts does not match.
bool SimCluster::resize_job(std::uint32_t replicas) {
  const std::optional<Hosts::Resized> resized = hosts_.resize(replicas);
  if (!resized) return false;
  // What memory holds is the state of ranks that are others now; at the same size, that of those who left is gone already.
  checkpoints_.lose_memory_below(resized->new_ranks);
  if (resized->reseated) monitoring_.job_resized();
  return true;
}

// --- hosts -----------------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Acquire&) {
  orders_.open(order, kNever);
  grant_spares();
}

void SimCluster::grant_spares() {
  while (const std::optional<HostId> host = hosts_.grant(orders_.waiting<Acquire>())) {
    faults_.host_joined(*host);
    orders_.answer(*orders_.close(orders_.first<Acquire>()->order.id), Status::done, Granted{*host});
  }
}

void SimCluster::on(const SpareReady& event) {
  hosts_.on(event, orders_.waiting<Acquire>());
  grant_spares();
}

/// Its slot is empty then. A host that joined for a replica that the job lacks has none yet.
void SimCluster::leave_job(HostId host) {
  if (const std::optional<std::uint32_t> slot = hosts_.leave_job(host)) checkpoints_.lose_memory(*slot);
  faults_.host_left(host);
}

void SimCluster::begin(const Order& order, const Evict& action) {
  const HostId host = action.host;
  const Hosts::State state = hosts_.state(host);
  const bool in_job = state == Hosts::State::in_job;
  if (in_job ? training_.ranks() != TrainingJob::Ranks::none : state != Hosts::State::spare)
    return answer_now(order, Status::failed);
  if (in_job) leave_job(host);
  hosts_.leave_service(host);
  faults_.host_off(host);
  monitoring_.leave_service(host);
  const Faults::RepairCause cause = faults_.repair_cause(host);
  hosts_.repair(host, cause.kind, cause.draws);
  answer_now(order, Status::done);
  grant_spares();  // whoever waits for a host that was on its way needs another one
}

void SimCluster::begin(const Order& order, const StandBy& action) {
  if (!hosts_.in_job(action.host) || training_.ranks() != TrainingJob::Ranks::none)
    return answer_now(order, Status::failed);
  leave_job(action.host);
  hosts_.stand_by(action.host);
  answer_now(order, Status::done);
}

void SimCluster::begin(const Order& order, const Readmit& action) {
  if (hosts_.state(action.host) != Hosts::State::returned) return answer_now(order, Status::failed);
  hosts_.readmit(action.host, orders_.waiting<Acquire>());
  monitoring_.enter_service(action.host);
  answer_now(order, Status::done);
  grant_spares();
}

/// What is wrong with the host goes with it.
void SimCluster::begin(const Order& order, const Retire& action) {
  const HostId host = action.host;
  const Hosts::State state = hosts_.state(host);
  if (state != Hosts::State::in_repair && state != Hosts::State::returned)
    return answer_now(order, Status::failed);
  hosts_.retire(host);
  end_all(faults_.ended_by_repair(host, true));
  faults_.host_off(host);
  answer_now(order, Status::done);
}

/// The hosts stay where they are until the next Start; who pays for them in between is the score's affair.
void SimCluster::begin(const Order& order, const Release&) {
  if (training_.ranks() != TrainingJob::Ranks::none) return answer_now(order, Status::failed);
  checkpoints_.lose_memory_below(hosts_.seats().count());
  start_.give_hosts_back();
  answer_now(order, Status::done);
}

// --- diagnosis -------------------------------------------------------------------------------------------------------

void SimCluster::begin(const Order& order, const Probe& action) {
  orders_.open(order, examination_.end_of(action, engine_.now()));
}

Result SimCluster::examine(const Probe& probe) {
  const std::vector<HostId>& failing = examination_.failing(probe, engine_.now());
  for (const HostId host : failing) monitoring_.found(host, probe.report);
  return Probed{
      .component = failing.empty() ? ComponentId{probe.who.kind, probe.who.index} : component(failing[0]),
      .verdict = failing.empty() ? Verdict::healthy : Verdict::faulty,
      .value = static_cast<double>(failing.size())};
}

void SimCluster::begin(const Order& order, const Ask&) {
  orders_.open(order, after(engine_.now(), people_.ask(faults_.stop())));
}

void SimCluster::begin(const Order& order, const Alert&) { answer_now(order, Status::done); }

}  // namespace gauntlet
