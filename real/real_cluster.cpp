// The driver's loop: agents' messages, timers, and what of them becomes an observation.
#include "real/real_cluster.hpp"

#include "core/record/fingerprint.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace gauntlet {
namespace {

constexpr Duration kAgentRetry =
    std::chrono::seconds(5);  // until an agent that could not be started is tried again

}  // namespace

Time RealCluster::now() {
  last_ = std::max(last_, clock_.now());
  return last_;
}

void RealCluster::push(const Observation& what) { outbox_.push_back({now(), what}); }

void RealCluster::schedule(Time at, const Due& due) { timers_.emplace(at, due); }

Time RealCluster::next_deadline() const {
  Time deadline = timers_.empty() ? kNever : timers_.begin()->first;
  for (const Host& host : hosts_) {
    for (const auto& [watch, filter] : host.silence) deadline = std::min(deadline, filter.deadline());
  }
  return deadline;
}

std::optional<Observed> RealCluster::next(Time until) {
  constexpr auto kLookUp = std::chrono::milliseconds(200);  // how soon a request to stop is noticed
  while (true) {
    alive_at_ns_ = monotonic_ns();
    if (!outbox_.empty()) {
      Observed first = outbox_.front();
      outbox_.pop_front();
      first.at = std::max(first.at, now());  // the driver's receipt
      return first;
    }
    if (finished_ || (setup_.stop != nullptr && *setup_.stop)) return std::nullopt;
    run_due();
    if (!outbox_.empty()) continue;
    if (now() >= until) return std::nullopt;

    std::unique_lock lock(inbox_mutex_);
    const Time wake = std::min({next_deadline(), until, now() + Duration(kLookUp)});
    const auto wait = std::max(Duration::zero(), wake - clock_.now());
    inbox_filled_.wait_for(lock, wait, [this] { return !inbox_.empty(); });
    std::deque<Incoming> arrived;
    arrived.swap(inbox_);
    lock.unlock();
    for (const Incoming& each : arrived) {
      if (hosts_[each.host].connection != each.connection) continue;
      const HostId host{each.host};
      std::visit(
          [&](const auto& what) {
            if constexpr (std::is_same_v<std::decay_t<decltype(what)>, Lost>) {
              on(host, what);
            } else {
              std::visit([&](const auto& message) { on(host, message); }, what);
            }
          },
          each.what);
    }
  }
}

void RealCluster::run_due() {
  const Time present = now();
  while (!timers_.empty() && timers_.begin()->first <= present) {
    const Due due = timers_.begin()->second;
    timers_.erase(timers_.begin());
    std::visit([this](const auto& what) { on(what); }, due);
  }
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
    }
  }
}

void RealCluster::finish(Ending ending) {
  if (finished_) return;
  push(Finished{JobId{0}, ending});
  finished_ = true;
}

// --- what agents say -------------------------------------------------------------------------------------------------

/// What ranks it has, reconcile() asked, and saw.
void RealCluster::on(HostId host, const AgentAttending& message) {
  hosts_[host.value].identity = message.identity;
}

std::vector<HostIdentity> RealCluster::identities() const {
  std::vector<HostIdentity> identities;
  for (const Host& host : hosts_) identities.push_back(host.identity);
  return identities;
}

void RealCluster::on(HostId host, const AgentHeartbeat&) {
  const Time present = now();
  for (auto& [watch, filter] : hosts_[host.value].silence) {
    if (const auto edge = filter.on_sample(present)) {
      push(Seen{
          .watch = watch, .who = component(host), .edge = *edge, .sensed = present, .value = 0, .more = 0});
    }
  }
}

void RealCluster::on(HostId host, const AgentSeen& message) {
  const HostState state = hosts_[host.value].state;
  if (state == HostState::in_repair || state == HostState::returned) return;
  if (const auto* seen = std::get_if<Seen>(&message.observed.what); seen && state != HostState::in_job) {
    const bool of_job = std::any_of(watches_.begin(), watches_.end(), [&](const Order& each) {
      const Watch& watch = std::get<Watch>(each.what);
      return watch.id == seen->watch && watch.who.subset == Scope::Subset::job;
    });
    if (of_job) return;  // its hosts alone are looked at
  }
  push(message.observed.what);
}

void RealCluster::on(HostId, const AgentRankLine& message) {
  const std::optional<RankLine> line = parse_rank_line(message.line);
  if (!line) return;
  progress_.add(message.run, message.rank, *line);
  if (line->kind == RankLine::Kind::step && message.rank == 0 && line->step > most_steps_) {
    most_steps_ = line->step;
    progress_at_ = now();
  }
  if (message.run != run_ || ranks_ == RanksState::none) return;
  const std::uint32_t ranks = world_->job.layout.ranks();
  if (line->kind == RankLine::Kind::up && ranks_ == RanksState::starting) {
    up_[message.rank] = line->step;
    if (up_.size() < ranks) return;
    ranks_ = RanksState::up;
    for (const OrderId order : open_starts()) close(order, Status::done, Loaded{line->step});
  }
  if (line->kind == RankLine::Kind::finished) {
    finished_ranks_[message.rank] = line->hash;
    if (finished_ranks_.size() < ranks) return;
    Fingerprint all;
    for (const auto& [rank, hash] : finished_ranks_) all.add(hash);
    final_hash_ = all.value();
    finish(Ending::completed);
  }
}

void RealCluster::on(HostId host, const AgentDone& message) {
  OpenOrder* open = find(OrderId{message.order});
  if (open == nullptr) return;
  const bool probe = std::holds_alternative<Probe>(open->order.what);
  const bool start = std::holds_alternative<Start>(open->order.what);
  if (!message.ok) std::fprintf(stderr, "gauntlet: host %u: %s\n", host.value, message.why.c_str());
  if (probe && (message.faulty || !message.ok)) {
    note_failing(*open, host);
    if (!message.ok) report_failing(*open, host);  // else the agent has reported it
  }
  if (!start) return host_answered(*open, host);
  if (!message.ok) close(open->order.id, Status::failed);
}

/// A host that could not be examined fails the probe.
void RealCluster::report_failing(const OpenOrder& open, HostId host) {
  push(Seen{.watch = std::get<Probe>(open.order.what).report,
            .who = component(host),
            .edge = Edge::sample,
            .sensed = now(),
            .value = 1,
            .more = 0});
}

void RealCluster::on(HostId, const AgentRankExited& message) {
  if (message.run != run_ || ranks_ != RanksState::starting) return;
  for (const OrderId order : open_starts()) close(order, Status::failed);
}

void RealCluster::on(HostId, const AgentInjected& message) {
  const JournalStep step = message.ok ? JournalStep::observed : JournalStep::missed;
  journal_.write({step, message.injection, clock_.at(message.at_ns)});
}

void RealCluster::on(HostId host, const Lost& message) {
  if (hosts_[host.value].state == HostState::in_repair) return;
  if (obeyed_epoch(message.why).value_or(0) > setup_.epoch) {
    superseded_ = true;
    throw Superseded("another driver took over: " + message.why);
  }
  std::fprintf(stderr, "gauntlet: agent of host %u is gone (%s); starting it again\n", host.value,
               message.why.c_str());
  set_link(host, nullptr);
  hosts_[host.value].process.end();
  ranks_lost(host);
  schedule(now(), AttendDue{host});
}

/// The host's ranks died with its agent: whoever waits for that host has waited long enough.
void RealCluster::ranks_lost(HostId host) {
  std::vector<OrderId> failed;
  for (auto& [id, open] : open_) {
    if (open.waiting.count(host.value) > 0) failed.push_back(OrderId{id});
  }
  for (const OrderId order : failed) {
    OpenOrder* open = find(order);
    if (open == nullptr) continue;
    if (std::holds_alternative<Probe>(open->order.what)) {
      note_failing(*open, host);
      report_failing(*open, host);
    }
    host_answered(*open, host);
  }
  const bool had_ranks = hosts_[host.value].state == HostState::in_job && ranks_ != RanksState::none;
  if (!had_ranks) return;
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (watch.signal != Signal::process_exit) continue;
    push(Seen{.watch = watch.id,
              .who = component(host),
              .edge = Edge::sample,
              .sensed = now(),
              .value = 137,
              .more = 0});
  }
  if (ranks_ != RanksState::starting) return;
  for (const OrderId order : open_starts()) close(order, Status::failed);
}

// --- timers ------------------------------------------------------------------------------------------------------------

void RealCluster::on(const WakeDue& due) { close(due.order, Status::done); }

void RealCluster::on(const RepairDue& due) {
  if (!launch_and_attend(due.host)) return schedule(now() + kAgentRetry, due);
  hosts_[due.host.value].state = HostState::returned;
  push(HostReturned{due.host});
}

void RealCluster::on(const InjectionDue& due) {
  const PlannedFault& fault = setup_.plan[due.injection];
  const std::optional<AgentSignal> signal = injector_for(world_->faults[fault.kind.value]);
  const std::uint32_t per_host = world_->inventory.gpus_per_host;
  const HostId host{fault.component.index / per_host};
  const std::optional<std::uint32_t> rank = rank_on(host, fault.component.index % per_host);
  journal_.write({JournalStep::began, due.injection, now()});
  if (!signal || !rank || !hosts_[host.value].link) {
    journal_.write({JournalStep::missed, due.injection, now()});
    return;
  }
  hosts_[host.value].link->inject(due.injection, *rank, *signal);
}

/// Until it answers the host is silent, as its heartbeat watches will say.
void RealCluster::on(const AttendDue& due) {
  const Host& host = hosts_[due.host.value];
  if (host.link || host.state == HostState::in_repair) return;
  if (!launch_and_attend(due.host)) schedule(now() + kAgentRetry, due);
}

void RealCluster::on(const WindowDue&) { finish(Ending::time_over); }

void RealCluster::on(const GiveUpDue&) {
  const Time due = after(progress_at_, world_->job.give_up_after);
  if (now() < due) return schedule(due, GiveUpDue{});
  finish(Ending::gave_up);
}

void RealCluster::on(const ProbeDue& due) {
  OpenOrder* open = find(due.order);
  if (open == nullptr) return;
  for (const std::uint32_t host : std::set<std::uint32_t>(open->waiting)) {
    on(HostId{host}, AgentDone{.order = due.order.value,
                               .ok = false,
                               .faulty = true,
                               .value = 0,
                               .why = "did not answer a probe in time"});
  }
}

}  // namespace gauntlet
