// Orders to real machines and their outcomes: exactly one for each.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "core/record/codec.hpp"
#include "real/real_cluster.hpp"

namespace gauntlet {

void RealCluster::start(const Order& order) {
  if (finished_) return;
  OpenOrder& open = open_.insert_or_assign(order.id.value, OpenOrder{order, now(), {}, false, 0, {}}).first->second;
  std::visit([&](const auto& action) { begin(open, action); }, order.what);
}

// --- bookkeeping -------------------------------------------------------------------------------------------------------

RealCluster::OpenOrder* RealCluster::find(OrderId order) {
  const auto found = open_.find(order.value);
  return found == open_.end() ? nullptr : &found->second;
}

void RealCluster::close(OrderId order, Status status, const Result& result) {
  const auto found = open_.find(order.value);
  if (found == open_.end()) return;
  push(Outcome{.order = order, .status = status, .took = now() - found->second.began, .result = result});
  open_.erase(found);
}

/// A host has done its part of the order, or will never do it.
void RealCluster::host_answered(OpenOrder& open, HostId host) {
  if (open.waiting.erase(host.value) == 0 || !open.waiting.empty()) return;
  if (const auto* probe = std::get_if<Probe>(&open.order.what)) {
    const ComponentId who = open.first_failing ? component(*open.first_failing) : ComponentId{probe->who.kind, probe->who.index};
    return close(open.order.id, Status::done,
                 Probed{who, open.faulty ? Verdict::faulty : Verdict::healthy, static_cast<double>(open.failing)});
  }
  if (std::holds_alternative<Stop>(open.order.what)) note_undone();
  close(open.order.id, Status::done);
}

/// With every rank gone, whatever was injected into one is over.
void RealCluster::note_undone() {
  std::vector<JournalEntry> over;
  for (const JournalEntry& entry : journal_.entries()) {
    if (entry.step == JournalStep::observed) over.push_back({JournalStep::undone, entry.injection, now()});
    if (entry.step == JournalStep::undone) {
      std::erase_if(over, [&](const JournalEntry& each) { return each.injection == entry.injection; });
    }
  }
  for (const JournalEntry& entry : over) journal_.write(entry);
}

// --- watching and waiting ------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Watch& action) {
  watches_.push_back(open.order);
  for (Host& host : hosts_) {
    if (!host.link) continue;
    if (action.signal == Signal::heartbeat) {
      host.silence.emplace_back(action.id, SilenceFilter(std::get<Silence>(action.until), now()));
    } else {
      host.link->watch(open.order);
    }
  }
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Unwatch& action) {
  std::erase_if(watches_, [&](const Order& each) { return std::get<Watch>(each.what).id == action.watch; });
  for (Host& host : hosts_) {
    std::erase_if(host.silence, [&](const auto& each) { return each.first == action.watch; });
    if (host.link) host.link->unwatch(action.watch);
  }
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Wake& action) { schedule(action.at, WakeDue{open.order.id}); }

void RealCluster::begin(OpenOrder& open, const Cancel& action) {
  const OrderId cancelling = open.order.id;
  close(action.order, Status::cancelled);
  close(cancelling, Status::done);
}

void RealCluster::begin(OpenOrder& open, const CheckpointEvery& action) {
  checkpoint_interval_ = action.interval;
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Checkpoint&) { close(open.order.id, Status::failed); }

// --- the job's ranks -------------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Stop&) { stop_ranks(open); }

void RealCluster::stop_ranks(OpenOrder& open) {
  const OrderId stopping = open.order.id;
  std::vector<OrderId> failing;
  for (const auto& [id, each] : open_) {
    if (std::holds_alternative<Start>(each.order.what)) failing.push_back(OrderId{id});
  }
  for (const OrderId order : failing) close(order, Status::failed);
  ranks_ = RanksState::none;
  up_.clear();
  finished_ranks_.clear();
  OpenOrder& stop = open_.at(stopping.value);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (!hosts_[h].link || hosts_[h].state != HostState::in_job) continue;
    stop.waiting.insert(h);
    hosts_[h].link->stop_ranks(stopping);
  }
  if (stop.waiting.empty()) {
    note_undone();
    close(stopping, Status::done);
  }
}

void RealCluster::begin(OpenOrder& open, const Start& action) {
  if (ranks_ != RanksState::none || !vacant_.empty()) return close(open.order.id, Status::failed);
  collective_timeout_ = action.collective_timeout;
  start_ranks(open);
}

void RealCluster::start_ranks(OpenOrder& open) {
  ++run_;
  ranks_ = RanksState::starting;
  up_.clear();
  finished_ranks_.clear();
  const std::string meeting = run_directory();
  if (mkdir(meeting.c_str(), 0700) != 0 && errno != EEXIST) {
    std::fprintf(stderr, "gauntlet: %s: cannot be made: %s\n", meeting.c_str(), std::strerror(errno));
    return close(open.order.id, Status::failed);
  }
  const std::vector<std::string> arguments = trainer_arguments();
  for (const HostId host : slots_) {
    hosts_[host.value].link->start_ranks(open.order.id, run_, ranks_of(host), arguments);
  }
}

/// Where the ranks of the present run meet.
std::string RealCluster::run_directory() const { return setup_.directory + "/run-" + std::to_string(run_); }

std::vector<std::string> RealCluster::trainer_arguments() const {
  const JobModel& job = world_->job;
  const bool saves = checkpoint_interval_ != kForever;
  const std::int64_t every = saves ? std::max<std::int64_t>(1, (checkpoint_interval_ + job.step_time - Duration(1)) / job.step_time) : 0;
  const auto text = [](Duration value) { return std::to_string(value.count()) + "ns"; };
  return {"--pp",                   std::to_string(job.layout.pp),
          "--dp",                   std::to_string(job.layout.dp),
          "--seed",                 std::to_string(setup_.seed.study),
          "--steps",                std::to_string(job.steps),
          "--run-directory",        run_directory(),
          "--checkpoint-directory", setup_.directory + "/checkpoints",
          "--checkpoint-every",     std::to_string(every),
          "--step-time",            text(job.step_time),
          "--collective-timeout",   text(collective_timeout_)};
}

// --- hosts -----------------------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder&, const Acquire&) { grant_spares(); }

void RealCluster::grant_spares() {
  while (!spares_.empty() && !vacant_.empty()) {
    const auto waiting = std::find_if(open_.begin(), open_.end(), [](const auto& each) {
      return std::holds_alternative<Acquire>(each.second.order.what);
    });
    if (waiting == open_.end()) return;
    const HostId host = spares_.front();
    spares_.pop_front();
    slots_[vacant_.front()] = host;
    vacant_.erase(vacant_.begin());
    hosts_[host.value].state = HostState::in_job;
    close(OrderId{waiting->first}, Status::done, Granted{host});
  }
}

void RealCluster::begin(OpenOrder& open, const Evict& action) {
  Host& host = hosts_[action.host.value];
  const bool holds_ranks = host.state == HostState::in_job && ranks_ != RanksState::none;
  if (host.state == HostState::in_repair || host.state == HostState::returned || holds_ranks) {
    return close(open.order.id, Status::failed);
  }
  if (host.state == HostState::in_job) {
    vacant_.push_back(static_cast<std::uint32_t>(std::find(slots_.begin(), slots_.end(), action.host) - slots_.begin()));
  } else {
    std::erase(spares_, action.host);
  }
  host.state = HostState::in_repair;
  release(action.host);
  schedule(now() + from_seconds(world_->repair.time.sample(repair_draws_)), RepairDue{action.host});
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Readmit& action) {
  Host& host = hosts_[action.host.value];
  if (host.state != HostState::returned) return close(open.order.id, Status::failed);
  host.state = HostState::spare;
  spares_.push_back(action.host);
  send_watches(action.host);
  close(open.order.id, Status::done);
  grant_spares();
}

// --- diagnosis and people --------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Probe&) { run_probe(open); }

void RealCluster::run_probe(OpenOrder& open) {
  const Probe& probe = std::get<Probe>(open.order.what);
  const ProbeKind& kind = world_->probes[probe.probe.value];
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const bool meant = probe.who.subset == Scope::Subset::one ? probe.who.index == h : hosts_[h].state == HostState::in_job;
    if (!meant || !hosts_[h].link) continue;
    open.waiting.insert(h);
    hosts_[h].link->run_probe(open.order.id, kind.name, probe.report);
  }
  // As long as ten times what the scenario expects, and some: an agent that does not answer is a finding.
  schedule(now() + 10 * kind.time + std::chrono::seconds(10), ProbeDue{open.order.id});
  if (open.waiting.empty()) close(open.order.id, Status::done, Probed{component(HostId{probe.who.index}), Verdict::faulty, 1});
}

void RealCluster::begin(OpenOrder& open, const Ask&) {
  schedule(now() + from_seconds(world_->people.response.sample(person_draws_)), WakeDue{open.order.id});
}

void RealCluster::begin(OpenOrder& open, const Alert& action) {
  std::fprintf(stderr, "gauntlet: alert: %s\n", to_text(Order{open.order.id, action}).c_str());
  close(open.order.id, Status::done);
}

}  // namespace gauntlet
