// Hosts, spares, repair, and the life of the job.
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

SimCluster::SimCluster(const World& world)
    : world_(&world),
      step_model_(world),
      costs_(checkpoint_costs(world)),
      seats_(world.job.layout, world.hardware.gpus_per_host, world.inventory.job_hosts,
             world.inventory.hosts()) {
  for (const FaultKind& kind : world.faults) {
    heal_names_.push_back(stream_name("heal." + kind.name));
    symptom_names_.push_back(stream_name("symptom." + kind.name));
    follow_names_.push_back(stream_name("follow." + kind.name));
  }
}

void SimCluster::reset(Seed seed, bool full_telemetry) {
  engine_.reset();
  out_.clear();
  truth_.clear();
  progress_.clear();
  seed_ = seed;
  finished_ = false;

  const Inventory& inventory = world_->inventory;
  hosts_.assign(inventory.hosts(), HostState::spare);
  std::fill_n(hosts_.begin(), inventory.job_hosts, HostState::in_job);
  seats_.reset();
  repairs_.assign(inventory.hosts(), 0);
  vacant_.clear();
  spares_.clear();
  for (std::uint32_t h = inventory.job_hosts; h < inventory.hosts(); ++h) spares_.push_back(HostId{h});

  waiting_repairs_.clear();
  repairs_in_hand_ = 0;

  arrivals_.emplace(*world_, seed);
  fault_due_[0] = fault_due_[1] = {};
  active_.clear();
  faults_struck_ = 0;
  ranks_ = RanksState::none;
  gang_.reset();
  checkpoint_interval_ = kForever;
  collective_timeout_ = kForever;
  change_wanted_ = checkpoint_wanted_ = false;
  boundary_ = job_end_ = collective_timer_ = give_up_ = notice_ = same_step_ = {};
  in_force_ = {};
  starts_ = 0;
  trained_ = {};
  mark_ = 0;
  progress_at_ = kStart;
  open_.clear();
  log_watches_.clear();
  reports_.emplace(*world_, seed, engine_, out_);
  victims_.emplace(*world_, seats_, engine_);
  heartbeats_.emplace(*world_, seed, full_telemetry, engine_, out_, *reports_, *victims_);
  signals_.emplace(full_telemetry, gang_, engine_, out_);
  host_signals_.emplace(full_telemetry, *world_, seed, stage_timings(), seats_, gang_, engine_, *reports_);
  start_draws_.emplace(seed, stream_name("start"));
  probe_draws_.emplace(seed, stream_name("probe"));
  person_draws_.emplace(seed, stream_name("person"));

  schedule_faults(FaultClock::always);
  for (std::uint32_t i = 0; i < world_->job.planned_stops.size(); ++i) {
    engine_.at(world_->job.planned_stops[i].at, Priority::world, PlannedDue{i});
  }
  if (world_->job.window > Duration::zero()) {
    engine_.at(kStart + world_->job.window, Priority::end, JobEnds{Ending::time_over});
  }
  watch_for_no_progress();
  out_.push(kStart, Started{JobId{0}, inventory});
  for (const Strike& present : arrivals_->present_at_start()) strike(present);
}

/// What the hosts of each stage compute in a healthy step. Of a step that is given as a whole, the backward pass takes twice
/// as long as the forward pass, having two matrix products for each of its own (Narayanan et al., SC'21, sec. 3.2,
/// https://arxiv.org/abs/2104.04473).
const StageTimings& SimCluster::stage_timings() {
  if (stage_timings_) return *stage_timings_;
  const std::uint32_t stages = world_->job.layout.pp;
  StageTimings& timings = stage_timings_.emplace();
  if (world_->job.step_time > Duration::zero()) {
    timings.forward.assign(stages, to_seconds(world_->job.step_time) / 3);
    timings.backward.assign(stages, to_seconds(world_->job.step_time) * 2 / 3);
    return timings;
  }
  const StepPicture picture = step_model_.picture({}, 0);
  const double micro_batches = picture.shape.micro_batches;
  timings.forward.assign(stages, 0);
  timings.backward.assign(stages, 0);
  for (std::size_t chunk = 0; chunk < picture.forward.size(); ++chunk) {
    timings.forward[chunk % stages] += micro_batches * picture.forward[chunk].compute;
    timings.backward[chunk % stages] +=
        micro_batches * (picture.backward[chunk].compute + picture.backward[chunk].recompute);
  }
  return timings;
}

std::optional<Observed> SimCluster::next(Time until) {
  while (true) {
    if (!out_.empty()) return out_.take();
    if (finished_) return std::nullopt;
    const std::optional<Event> event = engine_.next(until);
    if (!event) return std::nullopt;
    engine_.fingerprint().add(std::uint64_t{event->index()});
    std::visit([this](const auto& what) { on(what); }, *event);
  }
}

// --- clocks ----------------------------------------------------------------------------------------------------------

double SimCluster::training_clock() const {
  const bool runs = gang_.state() == Gang::State::training;
  return to_seconds(trained_ + (runs ? engine_.now() - training_since_ : Duration::zero()));
}

void SimCluster::schedule_faults(FaultClock clock) {
  Time due = kNever;
  const double next = arrivals_->next_time(clock);
  if (clock == FaultClock::always) {
    due = after(kStart, from_seconds(next));
  } else if (gang_.state() == Gang::State::training) {
    due = after(engine_.now(), from_seconds(next - training_clock()));
  }
  due = std::max(due, engine_.now());
  Timer& timer = fault_due_[static_cast<std::size_t>(clock)];
  Time& set_to = fault_due_at_[static_cast<std::size_t>(clock)];
  if (engine_.pending(timer) && set_to == due) return;  // most changes leave the next fault where it was
  engine_.cancel(timer);
  set_to = due;
  timer = engine_.at(due, Priority::fault, FaultDue{clock});
}

void SimCluster::watch_for_no_progress() {
  engine_.cancel(give_up_);
  if (world_->job.give_up_after > Duration::zero()) {
    give_up_ = engine_.at(std::max(after(progress_at_, world_->job.give_up_after), engine_.now()),
                          Priority::end, JobEnds{Ending::gave_up});
  }
}

// --- training --------------------------------------------------------------------------------------------------------

Pace SimCluster::pace(const ClusterState& present) const {
  const Duration healthy = step_model_.healthy();
  if (present.healthy()) return {.step = healthy, .healthy_step = healthy};
  ClusterState alike = canonical(present, world_->job.layout, world_->hardware.gpus_per_host);
  const auto [known, fresh] = step_times_.try_emplace(std::move(alike));
  if (fresh) known->second = step_model_.time(known->first);
  return {.step = known->second, .healthy_step = healthy};
}

Gang::Checkpointing SimCluster::checkpointing() const {
  return {.interval = checkpoint_interval_, .stall = costs_.stall, .persist = costs_.persist};
}

void SimCluster::begin_training() {
  in_force_ = cluster_state();
  gang_.begin(engine_.now(), gang_.durable(), pace(in_force_), checkpointing());
  ranks_ = RanksState::up;
  signals_->loss_is(loss());
  signals_->began();
  host_signals_->began(in_force_.slow);
  training_runs();
}

void SimCluster::training_runs() {
  training_since_ = engine_.now();
  schedule_faults(FaultClock::training);
  schedule_job_end();
  const Time rises = gang_.time_of_step(std::max(mark_, gang_.stretch().first_step) + 1);
  if (rises <= after(progress_at_, world_->job.give_up_after)) engine_.cancel(give_up_);
  if (change_wanted_) change_at_boundary();
  wait_for_same_step();
}

void SimCluster::training_halts() {
  trained_ += engine_.now() - training_since_;
  engine_.cancel(boundary_);
  engine_.cancel(job_end_);
  engine_.cancel(same_step_);
  const std::int64_t steps = gang_.steps_at(engine_.now());
  if (steps > mark_) {
    mark_ = steps;
    progress_at_ = std::max(progress_at_, gang_.last_step_time(engine_.now()));
  }
  watch_for_no_progress();
}

void SimCluster::cut_training() {
  if (gang_.state() == Gang::State::down) return;
  before_change();
  const bool trained = gang_.state() == Gang::State::training;
  if (trained) training_halts();
  gang_.cut(engine_.now());
  if (trained) schedule_faults(FaultClock::training);
  // What was to change at a boundary is part of the next start; a checkpoint that is not durable is lost.
  change_wanted_ = checkpoint_wanted_ = false;
  fail_open<Checkpoint>();
}

void SimCluster::schedule_job_end() {
  engine_.cancel(job_end_);
  if (world_->job.steps > 0 && gang_.state() == Gang::State::training) {
    job_end_ = engine_.at(gang_.time_of_step(world_->job.steps), Priority::end, JobEnds{Ending::completed});
  }
}

void SimCluster::change_at_boundary() {
  if (gang_.state() == Gang::State::down) return;
  change_wanted_ = true;
  if (gang_.state() == Gang::State::paused) return;  // once it goes on
  engine_.cancel(boundary_);
  boundary_ = engine_.at(gang_.boundary_after(engine_.now()), Priority::world, BoundaryReached{});
}

void SimCluster::update_pace() {
  if (gang_.state() != Gang::State::down && cluster_state() != in_force_) change_at_boundary();
}

void SimCluster::on(const BoundaryReached&) {
  const Time now = engine_.now();
  before_change();
  in_force_ = cluster_state();
  gang_.change(now, pace(in_force_), checkpointing(), checkpoint_wanted_);
  host_signals_->slow_are(in_force_.slow);
  change_wanted_ = false;
  if (std::exchange(checkpoint_wanted_, false)) {
    for (OpenOrder& each : open_) {
      if (!std::holds_alternative<Checkpoint>(each.order.what) || each.stall_ends != kNever) continue;
      each.step = gang_.stretch().first_step;
      each.stall_ends = gang_.stretch().time_of_checkpoint(1);
      each.due = engine_.at(each.stall_ends + costs_.persist, Priority::world, OrderDue{each.order.id});
    }
  }
  after_change();
  schedule_job_end();
  wait_for_same_step();
}

/// A pause of that length has ended: checkpoints that it caught while they blocked training come later.
void SimCluster::delay_checkpoints(Duration pause) {
  for (OpenOrder& each : open_) {
    const bool caught = std::holds_alternative<Checkpoint>(each.order.what) && each.stall_ends != kNever &&
                        each.stall_ends > engine_.now() - pause;
    if (!caught) continue;
    each.stall_ends += pause;
    engine_.cancel(each.due);
    each.due = engine_.at(each.stall_ends + costs_.persist, Priority::world, OrderDue{each.order.id});
  }
}

void SimCluster::on(const PlannedDue& event) {
  out_.push(engine_.now(), Told{JobId{0}, world_->job.planned_stops[event.stop].hold});
}

void SimCluster::on(const JobEnds& event) {
  if (gang_.state() == Gang::State::training) training_halts();
  if (gang_.state() != Gang::State::down) gang_.cut(engine_.now());
  finished_ = true;
  out_.push(engine_.now(), Finished{JobId{0}, event.ending});
}

// --- spares and repair -----------------------------------------------------------------------------------------------

void SimCluster::grant_spares() {
  while (!spares_.empty() && !vacant_.empty()) {
    const OpenOrder* waiting = find_open<Acquire>();
    if (waiting == nullptr) return;
    const HostId host = spares_.front();
    spares_.erase(spares_.begin());
    seats_.seat(vacant_.front(), host);
    vacant_.erase(vacant_.begin());
    hosts_[host.value] = HostState::in_job;
    arrivals_->turn_on(FaultClock::training, host, training_clock());
    answer(*close(waiting->order.id), Status::done, Granted{host});
  }
}

void SimCluster::repair(HostId host, Duration takes) {
  const std::uint32_t crew = world_->repair.crew;
  if (crew > 0 && repairs_in_hand_ >= crew) return waiting_repairs_.push_back({host, takes});
  ++repairs_in_hand_;
  engine_.after(takes, Priority::world, RepairDone{host});
}

void SimCluster::on(const RepairDone& event) {
  --repairs_in_hand_;
  if (!waiting_repairs_.empty()) {
    const Repair next = waiting_repairs_.front();
    waiting_repairs_.pop_front();
    repair(next.host, next.takes);
  }
  hosts_[event.host.value] = HostState::returned;
  ++repairs_[event.host.value];
  end_faults_of(event.host);
  arrivals_->turn_on(FaultClock::always, event.host, to_seconds(engine_.now() - kStart));
  schedule_faults(FaultClock::always);
  out_.push(engine_.now(), HostReturned{event.host});
}

}  // namespace gauntlet
