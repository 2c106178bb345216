// The driver's loop: agents' messages, timers, and what of them becomes an observation.
#include "real/driver/real_cluster.hpp"

#include "real/injectors/injector.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gauntlet {

Time RealCluster::now() {
  last_ = std::max(last_, clock_.at(platform_.clock().monotonic_ns()));
  return last_;
}

void RealCluster::push(const Observation& what, OperatorDesk::Answer confirmed) {
  outbox_.push_back({{now(), what}, std::move(confirmed)});
}

void RealCluster::schedule(Time at, const Due& due) { timers_.emplace(at, due); }

Time RealCluster::next_deadline() const {
  return std::min(silence_due_, timers_.empty() ? kNever : timers_.begin()->first);
}

std::optional<Observed> RealCluster::next(Time until) {
  constexpr auto kLookUp = std::chrono::milliseconds(200);  // how soon a request to stop is noticed
  while (true) {
    alive_at_ns_ = platform_.clock().monotonic_ns();
    confirm();
    if (!outbox_.empty()) {
      Observed first = std::move(outbox_.front().seen);
      handed_out_ = std::move(outbox_.front().confirmed);
      outbox_.pop_front();
      first.at = std::max(first.at, now());  // the driver's receipt
      if (std::holds_alternative<Finished>(first.what)) report_status(true);
      return first;
    }
    if (finished_ || setup_.stopped()) {
      report_status(true);
      return std::nullopt;
    }
    hear_inbox();  // before the deadlines: what came in time is in time, however late it is looked at
    run_due();
    hear_operators();
    platform_.say_new_remarks();
    report_status(false);
    if (!outbox_.empty()) continue;
    if (now() >= until) return std::nullopt;

    const Time present = now();
    const Time wake = std::min({next_deadline(), until, present + Duration(kLookUp)});
    inbox_filled_->sleep(std::max(Duration::zero(), wake - present));
  }
}

void RealCluster::hear_inbox() {
  std::deque<Incoming> arrived;
  {
    const std::lock_guard lock(inbox_mutex_);
    arrived.swap(inbox_);
  }
  for (const Incoming& each : arrived) hear(each);
}

void RealCluster::hear(const Incoming& incoming) {
  const HostId host{incoming.host};
  const bool current = hosts_[incoming.host].connection == incoming.connection;
  if (const auto* lost = std::get_if<Lost>(&incoming.what)) {
    if (current) on(host, *lost);
    return;
  }
  if (const auto* jump = std::get_if<ClockJump>(&incoming.what)) return on(host, *jump);
  AgentMessage message = std::get<AgentMessage>(incoming.what);
  const bool injected = std::holds_alternative<AgentInjected>(message);
  if (!current && !injected) return;  // an injection was done, whatever became of its agent
  {
    const std::lock_guard lock(inbox_mutex_);
    times_.map(message, *incoming.clock, clock_.started_ns() + (incoming.at - kStart).count(),
               world_->telemetry.clock_error);
  }
  std::visit(
      [&](const auto& said) {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (std::is_same_v<Said, AgentHeartbeat>) {
          on_heartbeat(host, incoming.at, said);
        } else if constexpr (!std::is_same_v<Said, AgentClockReading>) {  // read when it arrived
          on(host, said);
        }
      },
      message);
}

void RealCluster::run_due() {
  const Time present = now();
  while (!timers_.empty() && timers_.begin()->first <= present) {
    const Due due = timers_.begin()->second;
    timers_.erase(timers_.begin());
    std::visit([this](const auto& what) { on(what); }, due);
  }
  if (silence_due_ <= present) look_for_silence(present);
}

/// Heartbeats move the deadline of a host, and leave `silence_due_` as it is: so the hosts are gone through about once in the time that
/// a watch allows, and not for each message.
void RealCluster::look_for_silence(Time present) {
  silence_due_ = kNever;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    for (auto& [watch, filter] : hosts_[h].silence) {
      if (const auto edge = filter.on_deadline(present)) {
        push(Seen{.watch = watch,
                  .who = component(HostId{h}),
                  .edge = *edge,
                  .sensed = present,
                  .value = 0,
                  .more = 0});
      }
      silence_due_ = std::min(silence_due_, filter.deadline());
    }
  }
}

void RealCluster::finish(Ending ending) {
  if (finished_) return;
  check_own();  // its end is the end of the agents
  push(Finished{JobId{0}, ending});
  finished_ = true;
}

// --- what agents say -------------------------------------------------------------------------------------------------

/// What ranks it has, reconcile() asked, and saw.
void RealCluster::on(HostId host, const AgentAttending& message) {
  hosts_[host.value].identity = message.identity;
  const std::uint32_t wanted = setup_.rank_user ? setup_.rank_user->uid : ::geteuid();
  if (!message.rank_uid || *message.rank_uid == wanted) return;
  const std::string why = "the agent of host " + std::to_string(host.value) + " (" + message.identity.pod +
                          ") runs ranks as user " + std::to_string(*message.rank_uid) +
                          ", and the drill as " + gauntlet::name_of(setup_.rank_user) + " (" +
                          std::to_string(wanted) + "): give both the same --run-as";
  if (most_steps_ == 0) throw std::runtime_error(why);
  platform_.say(why);
  hang_up(host);
  end_process(host);
  schedule_attend(host, now() + kAgentRetry);
}

std::vector<HostIdentity> RealCluster::identities() const {
  std::vector<HostIdentity> identities;
  for (const Host& host : hosts_) identities.push_back(host.identity);
  return identities;
}

std::vector<std::optional<HostClock>> RealCluster::host_clocks() {
  const std::lock_guard lock(inbox_mutex_);
  std::vector<std::optional<HostClock>> clocks;
  for (const Host& host : hosts_) clocks.push_back(host.clock ? host.clock->known() : std::nullopt);
  return clocks;
}

std::vector<HostReport> RealCluster::reports() const {
  std::vector<HostReport> reports;
  for (const Host& host : hosts_) reports.push_back(host.report);
  return reports;
}

void RealCluster::on_heartbeat(HostId host, Time came, const AgentHeartbeat& message) {
  Host& beating = hosts_[host.value];
  beating.heard = came;
  if (message.report) beating.report = *message.report;
  const Time at = std::max(came, beating.watched_since);
  for (auto& [watch, filter] : beating.silence) {
    if (const auto edge = filter.on_sample(at)) {
      push(Seen{
          .watch = watch, .who = component(host), .edge = *edge, .sensed = now(), .value = 0, .more = 0});
    }
    silence_due_ = std::min(silence_due_, filter.deadline());
  }
}

void RealCluster::on(HostId host, const AgentSeen& message) {
  const HostState state = hosts_[host.value].state;
  if (state != HostState::in_job && state != HostState::spare) return;
  if (const auto* seen = std::get_if<Seen>(&message.observed.what); seen && state != HostState::in_job) {
    const bool of_job = std::any_of(watches_.begin(), watches_.end(), [&](const Order& each) {
      const Watch& watch = std::get<Watch>(each.what);
      return watch.id == seen->watch && watch.who.subset == Scope::Subset::job;
    });
    if (of_job) return;  // its hosts alone are looked at
  }
  Observation what = message.observed.what;
  if (auto* seen = std::get_if<Seen>(&what))
    seen->sensed = clock_.at(seen->sensed.time_since_epoch().count());
  push(what);
}

void RealCluster::on(HostId, const AgentRankLine& message) {
  const std::optional<RankLine> line = parse_rank_line(message.line);
  if (!line) return;
  if (line->kind == RankLine::Kind::segment) return keep_segment(message, *line);
  progress_.add(message.run, message.rank, *line);
  const bool output_lost = line->kind == RankLine::Kind::log && line->pattern == kOutputLost;
  if (output_lost || is_checkpoint_warning(*line)) platform_.say("warning: " + line->text);
  if (line->kind == RankLine::Kind::step && message.rank == 0 && line->step > most_steps_) {
    most_steps_ = line->step;
    progress_at_ = now();
  }
  if (message.run != run_ || ranks_ == RanksState::none) return;
  if (line->kind == RankLine::Kind::saved) on_saved(line->step);
  if (line->kind == RankLine::Kind::dropped)
    platform_.say("rank " + std::to_string(message.rank) + " dropped " + std::to_string(line->step) +
                  " messages, which its agent did not read in time");
  if (line->kind == RankLine::Kind::up) on_up(message.rank, line->step);
  if (line->kind == RankLine::Kind::finished) on_finished(message.rank, line->step);
}

void RealCluster::keep_segment(const AgentRankLine& message, const RankLine& line) {
  if (setup_.segments == nullptr) return;
  setup_.segments->add({.run = message.run,
                        .rank = message.rank,
                        .step = line.step,
                        .name = line.pattern,
                        .took = Duration(line.took_ns),
                        .reported = clock_.at(line.at_ns)});
}

/// The orders for a checkpoint have one.
void RealCluster::on_saved(std::int64_t step) {
  for (const OrderId order : open_orders<Checkpoint>()) close(order, Status::done, Saved{step});
}

/// The rank goes on after that step.
void RealCluster::on_up(std::uint32_t rank, std::int64_t step) {
  if (ranks_ != RanksState::starting) return;
  up_.insert(rank);
  const std::uint32_t ranks = seats_.layout().ranks();
  // Of a job whose lines alone are read, rank 0 speaks for all.
  for (std::uint32_t each = 1; rank == 0 && !job_hears() && each < ranks; ++each) up_.insert(each);
  if (up_.size() < ranks) return;
  ranks_ = RanksState::up;
  for (const OrderId order : open_orders<Start>()) close(order, Status::done, Loaded{step});
  strike_again();
}

void RealCluster::on_finished(std::uint32_t rank, std::int64_t step) {
  if (rank == 0 && step < world_->job.steps)
    platform_.say("the job ended after step " + std::to_string(step) + ", and job.steps is " +
                  std::to_string(world_->job.steps));
  if (finished_ranks_.empty()) {  // the others do the same steps: they wait for nobody longer than this
    for (const HostId host : seats_.hosts())
      expect_answer(host, Debt::ranks_finished, run_, collective_timeout_);
  }
  finished_ranks_.insert(rank);
  if (finished_ranks_.size() < seats_.layout().ranks()) return;
  finish(Ending::completed);
}

void RealCluster::on(HostId host, const AgentDone& message) {
  for (const Debt debt : {Debt::start, Debt::stop, Debt::probe})
    hosts_[host.value].unpaid.erase({debt, message.order});
  OpenOrder* open = find(OrderId{message.order});
  if (open == nullptr) return;
  if (!message.ok) platform_.say("host " + std::to_string(host.value) + ": " + message.why);
  if (std::holds_alternative<Probe>(open->order.what) && !message.ok) open->failing.insert(host.value);
  if (!std::holds_alternative<Start>(open->order.what)) return host_answered(*open, host);
  if (!message.ok) close(open->order.id, Status::failed);
}

void RealCluster::on(HostId host, const AgentRankExited& message) {
  if (message.run != run_ || ranks_ == RanksState::none) return;
  if (message.code != 0)
    failed_ranks_.add({.run = message.run,
                       .rank = message.rank,
                       .host = host.value,
                       .code = message.code,
                       .at = clock_.at(message.at_ns),
                       .place = message.place,
                       .last_lines = message.last_lines});
  if (world_->drill.command.given() && message.code != 0)
    platform_.say("rank " + std::to_string(message.rank) + " on host " + std::to_string(host.value) +
                  " ended with " + std::to_string(message.code) + "; " + message.said +
                  (message.place.empty() ? "" : "; it was " + message.place));
  if (ranks_ != RanksState::starting) return;
  for (const OrderId order : open_orders<Start>()) close(order, Status::failed);
}

void RealCluster::on(HostId host, const AgentInjected& message) {
  hosts_[host.value].unpaid.erase({Debt::injection, message.injection});
  const std::uint64_t injection = message.injection, fault = fault_of_injection(injection);
  if (fault >= setup_.plan.size()) return;
  const Time at = clock_.at(message.at_ns);
  if (injection != fault) {  // a fault that only a repair removes, in a later run
    if (message.ok && is_broken_by(fault) && !journal_.returned(injection))
      journal_.write({JournalStep::returned, injection, at});
  } else if (!journal_.answered(fault)) {              // else told twice, or by another host
    if (!message.ok && owes_injection(fault)) return;  // another host may have done it
    if (!message.ok) say_missed(fault, message.why);
    journal_.write({message.ok ? JournalStep::observed : JournalStep::missed, fault, at});
    if (message.ok && lasts(*world_, setup_.plan[fault]) < kForever)
      schedule(after(at, lasts(*world_, setup_.plan[fault])), HealDue{fault});
  }
}

void RealCluster::on(HostId host, const AgentRemark& message) {
  platform_.say("host " + std::to_string(host.value) + ": " + message.text);
}

void RealCluster::on(HostId host, const ClockJump&) {
  times_.note_jump();
  platform_.say(
      "the clock of host " + std::to_string(host.value) +
      " jumped against the driver's, as it does when a host is suspended; times that it reported just "
      "before are wrong by the jump");
}

void RealCluster::on(HostId host, const Lost& message) {
  if (hosts_[host.value].state == HostState::in_repair) return leave_burn_in(host);
  check_obeyed(message.why);
  if (is_lost(host)) return lose_by_fault(host);
  platform_.say("agent of host " + std::to_string(host.value) + " is gone (" + message.why +
                "); looking for it again");
  end_process(host);
  lose(host);
}

// --- timers ------------------------------------------------------------------------------------------------------------

void RealCluster::on(const WakeDue& due) {
  const OpenOrder* open = find(due.order);
  if (open == nullptr) return;
  const bool asked = std::holds_alternative<Ask>(open->order.what);
  close(due.order, Status::done, asked ? Result(answer_of_person()) : Result());
}

/// Until it answers the host is silent, as its heartbeat watches will say.
void RealCluster::on(const AttendDue& due) {
  if (hosts_[due.host.value].link || !has_agent(due.host)) return;
  if (const auto again = attend(due.host)) schedule_attend(due.host, now() + *again);
}

void RealCluster::on(const CheckpointDue& due) { close(due.order, Status::failed); }

void RealCluster::on(const StopRequestDue& due) {
  const PlannedStopRequest& request = stop_requests_[due.request];
  if (request.fault &&
      !journal_.observed(*request.fault)) {  // else the driver before this one died in between
    check_own();
    journal_.write({JournalStep::observed, *request.fault, now()});
    journal_.write({JournalStep::undone, *request.fault, now()});
  }
  push(request.what);
}

void RealCluster::on(const WindowDue&) { finish(Ending::time_over); }

void RealCluster::on(const GiveUpDue&) {
  const Time due = after(progress_at_, world_->job.give_up_after);
  if (now() < due) return schedule(due, GiveUpDue{});
  finish(Ending::gave_up);
}

}  // namespace gauntlet
