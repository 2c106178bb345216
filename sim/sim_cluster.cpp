// Hosts, spares, repair, and the life of the job.
#include "sim/sim_cluster.hpp"

#include "core/saturating.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

// A millisecond's work, so that the question costs nothing and the answer comes at once.
constexpr std::uint64_t kEventsBetweenLooks = 1024;

}  // namespace

SimCluster::SimCluster(const World& world)
    : world_(&world),
      whole_(world),
      size_(&whole_),
      seats_(world.job.layout, world.hardware.gpus_per_host, world.inventory.job_hosts,
             world.inventory.hosts()),
      active_(world),
      gang_(progress_, world.storage) {
  for (const FaultKind& kind : world.faults) {
    heal_names_.push_back(stream_name("heal." + kind.name));
    probe_names_.push_back(stream_name("probe." + kind.name));
    symptom_names_.push_back(stream_name("symptom." + kind.name));
    follow_names_.push_back(stream_name("follow." + kind.name));
  }
}

void SimCluster::reset(Seed seed, bool full_telemetry, const std::atomic<bool>* stop) {
  engine_.reset();
  out_.clear();
  truth_.clear();
  orders_ = 0;
  progress_.clear();
  seed_ = seed;
  finished_ = false;
  stop_ = stop;

  const Inventory& inventory = world_->inventory;
  hosts_.assign(inventory.hosts(), HostState::spare);
  std::fill_n(hosts_.begin(), inventory.job_hosts, HostState::in_job);
  size_ = &whole_;
  seats_.reset(whole_.layout(), whole_.hosts());
  beyond_.clear();
  repairs_.assign(inventory.hosts(), 0);
  vacant_.clear();
  spares_.emplace(*world_, seed, engine_);
  shop_.emplace(world_->repair, engine_);
  other_jobs_.emplace(world_->shared, hosts_held(*world_), seed);

  arrivals_.emplace(*world_, seed);
  fault_due_[0] = fault_due_[1] = {};
  active_.clear();
  ranks_ = RanksState::none;
  gang_.reset(seed);
  intervals_.fill(kForever);
  memory_lost_.clear();
  lost_before_load_ = 0;
  evaluating_ = false;
  evaluated_ = 0;
  collective_timeout_ = kForever;
  change_wanted_ = checkpoint_wanted_ = false;
  boundary_ = job_end_ = collective_timer_ = give_up_ = notice_ = start_notice_ = same_step_ =
      evaluation_ = {};
  in_force_ = {};
  starts_ = 0;
  stopped_ = {};
  has_hosts_ = false;
  trained_ = {};
  mark_ = 0;
  progress_at_ = kStart;
  open_.clear();
  log_watches_.clear();
  reports_.emplace(*world_, seed, engine_, out_);
  victims_.emplace(*world_, seats_, engine_);
  heartbeats_.emplace(*world_, seed, full_telemetry, engine_, out_, *reports_, *victims_);
  signals_.emplace(full_telemetry, gang_, engine_, out_);
  host_signals_.emplace(full_telemetry, *world_, seed, whole_.stage_timings(), seats_, gang_, engine_,
                        *reports_);

  schedule_faults(FaultClock::always);
  for (std::uint32_t i = 0; i < world_->job.planned_stops.size(); ++i) {
    engine_.at(world_->job.planned_stops[i].at, Priority::world, PlannedDue{i});
  }
  engine_.at(other_jobs_->next_time(), Priority::world, OtherJobsDue{});
  if (world_->job.window > Duration::zero()) {
    engine_.at(std::min(after(kStart, world_->job.window), kLast), Priority::end, JobEnds{Ending::time_over});
  }
  watch_for_no_progress();
  out_.push(kStart, Started{JobId{0}, inventory});
  for (const Strike& present : arrivals_->present_at_start()) strike(present);
  schedule_faults(FaultClock::always);  // what is there from the beginning fails no more
}

bool SimCluster::is_abandoned() const {
  return stop_ != nullptr && engine_.events() % kEventsBetweenLooks == 0 &&
         stop_->load(std::memory_order_relaxed);
}

std::optional<Observed> SimCluster::next(Time until) {
  while (true) {
    if (!out_.empty()) return out_.take();
    if (finished_ || is_abandoned()) return std::nullopt;
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
  set_to = due;
  engine_.set(timer, due, Priority::fault, FaultDue{clock});
}

/// Nobody waits beyond the end of time: without an event at all a run would have no end.
Time SimCluster::gives_up_without_progress() const {
  return std::min(after(progress_at_, world_->job.give_up_after), kLast);
}

void SimCluster::watch_for_no_progress() {
  if (world_->job.give_up_after == Duration::zero()) return;
  const Time gives_up = std::max(gives_up_without_progress(), engine_.now());
  if (gang_.heals_by(gives_up)) return engine_.hold(give_up_);
  engine_.set(give_up_, gives_up, Priority::end, JobEnds{Ending::gave_up});
}

// --- training --------------------------------------------------------------------------------------------------------

void SimCluster::begin_training() {
  in_force_ = cluster_state();
  gang_.loaded(engine_.now(), loading_.step, loading_.from);
  lost_before_load_ = memory_lost_.size();
  gang_.begin(engine_.now(), loading_.step, size_->pace(in_force_), checkpointing());
  const std::int64_t evaluations = std::max<std::int64_t>(1, world_->job.evaluation.every);
  evaluated_ = loading_.step - loading_.step % evaluations;
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
  schedule_evaluation();
  const Time rises = gang_.time_of_step(std::max(mark_, gang_.stretch().first_step) + 1);
  if (rises <= gives_up_without_progress()) {
    engine_.hold(give_up_);
  } else {
    watch_for_no_progress();
  }
  if (change_wanted_) change_at_boundary();
  wait_for_same_step();
}

void SimCluster::training_halts() {
  trained_ += engine_.now() - training_since_;
  engine_.hold(fault_due_[static_cast<std::size_t>(FaultClock::training)]);
  for (Timer* timer : {&boundary_, &job_end_, &same_step_, &evaluation_}) engine_.hold(*timer);
  const std::int64_t steps = gang_.steps_at(engine_.now());
  if (steps > mark_) {
    mark_ = steps;
    progress_at_ = std::max(progress_at_, gang_.last_step_time(engine_.now()));
  }
}

void SimCluster::cut_training() {
  if (gang_.state() == Gang::State::down) return;
  before_change();
  const bool trained = gang_.state() == Gang::State::training;
  if (trained) training_halts();
  gang_.cut(engine_.now());
  watch_for_no_progress();
  evaluating_ = false;
  engine_.hold(evaluation_);
  // What was to change at a boundary is part of the next start; a checkpoint that is not durable is lost.
  change_wanted_ = checkpoint_wanted_ = false;
  fail_open<Checkpoint>();
}

void SimCluster::schedule_job_end() {
  if (world_->job.steps == 0 || gang_.state() != Gang::State::training) return engine_.hold(job_end_);
  engine_.set(job_end_, gang_.time_of_step(world_->job.steps), Priority::end, JobEnds{Ending::completed});
}

void SimCluster::change_at_boundary() {
  if (gang_.state() == Gang::State::down) return;
  change_wanted_ = true;
  if (gang_.state() == Gang::State::paused) return;  // once it goes on
  engine_.set(boundary_, gang_.boundary_after(engine_.now()), Priority::world, BoundaryReached{});
}

void SimCluster::update_pace() {
  if (gang_.state() != Gang::State::down && cluster_state() != in_force_) change_at_boundary();
}

void SimCluster::on(const BoundaryReached&) {
  const Time now = engine_.now();
  before_change();
  in_force_ = cluster_state();
  gang_.change(now, size_->pace(in_force_), checkpointing(), checkpoint_wanted_);
  host_signals_->slow_are(in_force_.slow);
  change_wanted_ = false;
  if (std::exchange(checkpoint_wanted_, false)) expect_checkpoints();
  after_change();
  schedule_job_end();
  schedule_evaluation();
  wait_for_same_step();
}

void SimCluster::on(const PlannedDue& event) {
  told_to_stop(world_->job.planned_stops[event.stop].hold, false);
}

void SimCluster::on(const OtherJobsDue&) {
  // A job that is away for longer ends, or gives up.
  constexpr Duration kYear = std::chrono::hours(365 * 24);
  const JobModel& job = world_->job;
  const Duration longest = job.window > Duration::zero()          ? job.window
                           : job.give_up_after > Duration::zero() ? job.give_up_after
                                                                  : kYear;
  const Time has_hosts = other_jobs_->go_on(longest);
  if (has_hosts > engine_.now()) told_to_stop(has_hosts - engine_.now(), true);
  engine_.at(other_jobs_->next_time(), Priority::world, OtherJobsDue{});
}

void SimCluster::on(const JobEnds& event) {
  if (gang_.state() == Gang::State::training) training_halts();
  if (gang_.state() != Gang::State::down) gang_.cut(engine_.now());
  finished_ = true;
  out_.push(engine_.now(), Finished{JobId{0}, event.ending});
}

// --- spares and repair -----------------------------------------------------------------------------------------------

/// What is wrong with a host is on the job while the host carries it.
void SimCluster::host_becomes(HostId host, HostState state) {
  const bool was_in_job = in_job(host);
  hosts_[host.value] = state;
  if (was_in_job == in_job(host)) return;
  if (was_in_job) {
    active_.host_left(host);
  } else {
    active_.host_joined(host);
  }
}

void SimCluster::grant_spares() {
  while (hosts_wanted() > 0) {
    const std::optional<HostId> host = spares_->take();
    if (!host) return spares_->call(hosts_wanted());
    if (vacant_.empty()) {
      beyond_.push_back(*host);
    } else {
      seats_.seat(vacant_.front(), *host);
      vacant_.erase(vacant_.begin());
    }
    host_becomes(*host, HostState::in_job);
    arrivals_->turn_on(FaultClock::training, *host, training_clock());
    answer(*close(find_open<Acquire>()->order.id), Status::done, Granted{*host});
  }
}

std::size_t SimCluster::hosts_wanted() const {
  const auto waiting = std::count_if(open_.begin(), open_.end(), [](const OpenOrder& each) {
    return std::holds_alternative<Acquire>(each.order.what);
  });
  const std::size_t missing = whole_.hosts() - size_->hosts() - beyond_.size();
  return std::min(static_cast<std::size_t>(waiting), vacant_.size() + missing);
}

void SimCluster::on(const SpareReady& event) {
  spares_->on(event, hosts_wanted());
  grant_spares();
}

/// What is repaired first is what the host was broken by first; how long that takes is that fault's, whenever it is found.
void SimCluster::repair(HostId host) {
  static constexpr StreamName kRepair = stream_name("repair");
  const std::span<const FaultRef> faults = active_.of(host);
  const auto cause = std::find_if(faults.begin(), faults.end(), [&](FaultRef ref) {
    const ActiveFault& fault = active_[ref];
    return kind_of(fault).remedy == Remedy::repair && fault.component.kind != ComponentKind::job;
  });
  if (cause == faults.end()) return shop_->admit(host, std::nullopt, draws_of(kRepair, host.value));
  ActiveFault& fault = active_[*cause];
  shop_->admit(host, fault.kind,
               stream_now(seed_, kRepair, fault.struck, nth_of(host.value, fault.repaired++)));
}

void SimCluster::on(const RepairDone& event) {
  const std::optional<RepairQueue::Back> back = shop_->on(event);
  if (!back) return;
  host_becomes(event.host, HostState::returned);
  if (back->mended) {
    ++repairs_[event.host.value];
    end_faults_of(event.host);
    arrivals_->cure(event.host);
  } else {
    end_faults_in_vain(event.host);
  }
  arrivals_->turn_on(FaultClock::always, event.host, to_seconds(engine_.now() - kStart));
  schedule_faults(FaultClock::always);
  out_.push(engine_.now(), HostReturned{event.host});
}

}  // namespace gauntlet
