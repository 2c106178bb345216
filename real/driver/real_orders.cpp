// Orders to real machines and their outcomes: exactly one for each.
#include "core/component.hpp"
#include "core/contract.hpp"
#include "core/record/codec.hpp"
#include "real/driver/real_cluster.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

// Starts that failed, and hosts on which they did. Each may cost a host, because policies look for the culprit among hosts: so few
// healthy hosts are evicted for a job that cannot work, and two broken hosts are no reason to end.
constexpr std::size_t kStartsWithoutAStep = 3;
// Where the same host fails first each time: a replacement has the number of the host whose place it took.
constexpr std::size_t kMostStartsWithoutAStep = 2 * kStartsWithoutAStep;
constexpr std::int32_t kSignalled = 128;  // exit codes from here on are signals

}  // namespace

void RealCluster::start(const Order& order) {
  confirm();
  if (finished_) return;
  note_order(order);
  obey(order);
}

void RealCluster::obey(const Order& order) {
  if (finished_) return;
  const bool taken = take(order);
  OpenOrder& open = open_.insert_or_assign(order.id.value, OpenOrder{order, now(), taken}).first->second;
  std::visit([&](const auto& action) { begin(open, action); }, order.what);
}

// --- what orders and their outcomes make of the cluster, live and when a record of them is read ------------------------

/// At the order. False where it changes nothing: a Watch that stands already, a Start that cannot be.
bool RealCluster::take(const Order& order) {
  if (const auto* watch = std::get_if<Watch>(&order.what)) {
    const bool stands = std::any_of(watches_.begin(), watches_.end(), [&](const Order& each) {
      return std::get<Watch>(each.what).id == watch->id;
    });
    if (!stands) watches_.push_back(order);
    return !stands;
  }
  if (const auto* unwatch = std::get_if<Unwatch>(&order.what)) {
    std::erase_if(watches_,
                  [&](const Order& each) { return std::get<Watch>(each.what).id == unwatch->watch; });
  } else if (const auto* every = std::get_if<CheckpointEvery>(&order.what)) {
    checkpoint_intervals_.at(static_cast<std::size_t>(every->tier)) = every->interval;
  } else if (std::holds_alternative<Stop>(order.what)) {
    ranks_ = RanksState::none;
    up_.clear();
    finished_ranks_.clear();
  } else if (const auto* start = std::get_if<Start>(&order.what)) {
    if (ranks_ != RanksState::none || !seats_.resize(start->replicas)) return false;
    collective_timeout_ = start->collective_timeout;
    restore_ = start->restore;
    ++run_;
    ranks_ = RanksState::starting;
    up_.clear();
    finished_ranks_.clear();
  }
  return true;
}

/// At its outcome.
void RealCluster::apply(const Order& order, Status status, const Result& result) {
  if (status != Status::done) return;
  if (std::holds_alternative<Start>(order.what)) ranks_ = RanksState::up;
  if (const auto* granted = std::get_if<Granted>(&result)) {
    expect(seats_.wanted() > 0, "a host was granted where the job has a place for one");
    seats_.join(granted->host);
    expect(std::erase(spares_, granted->host) > 0, "a host was granted that stood by");
    hosts_[granted->host.value].state = HostState::in_job;
  }
  if (const auto* evict = std::get_if<Evict>(&order.what)) {
    Host& host = hosts_[evict->host.value];
    if (host.state == HostState::in_job) seats_.leave(evict->host);
    std::erase(spares_, evict->host);
    host.state = HostState::in_repair;
    host.repaired = after(last_, repair_time(evict->host));
    ++host.evictions;
  }
  if (const auto* standing = std::get_if<StandBy>(&order.what)) {
    seats_.leave(standing->host);
    hosts_[standing->host.value].state = HostState::spare;
    spares_.push_front(standing->host);  // it is set up: the next one that is granted
  }
  if (const auto* retire = std::get_if<Retire>(&order.what))
    hosts_[retire->host.value].state = HostState::retired;
  if (const auto* readmit = std::get_if<Readmit>(&order.what)) {
    hosts_[readmit->host.value].state = HostState::spare;
    spares_.push_back(readmit->host);
  }
}

// --- bookkeeping -------------------------------------------------------------------------------------------------------

RealCluster::OpenOrder* RealCluster::find(OrderId order) {
  const auto found = open_.find(order.value);
  return found == open_.end() ? nullptr : &found->second;
}

void RealCluster::close(OrderId order, Status status, const Result& result, OperatorDesk::Answer confirmed) {
  const auto found = open_.find(order.value);
  if (found == open_.end()) return;
  apply(found->second.order, status, result);
  push(Outcome{.order = order, .status = status, .took = now() - found->second.began, .result = result},
       std::move(confirmed));
  open_.erase(found);
  if (ending_) end_if_down();
}

/// A host has done its part of the order, or will never do it.
void RealCluster::host_answered(OpenOrder& open, HostId host) {
  if (open.waiting.erase(host.value) == 0) return;
  if (std::holds_alternative<Probe>(open.order.what)) {
    open.listening.erase(host.value);
    return probe_next();
  }
  if (!open.waiting.empty()) return;
  if (std::holds_alternative<Stop>(open.order.what)) end_rank_faults();
  close(open.order.id, Status::done);
}

// --- watching and waiting ------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Watch& action) {
  if (!world_->telemetry.carries[static_cast<std::size_t>(action.signal)])
    return close(open.order.id, Status::failed);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (!open.taken || !hosts_[h].link) continue;  // agents are told what stands when they are attended to
    if (is_watched(action.who, HostId{h})) watch(HostId{h}, open.order);
  }
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Unwatch& action) {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) unwatch(HostId{h}, action.watch);
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Wake& action) { schedule(action.at, WakeDue{open.order.id}); }

void RealCluster::begin(OpenOrder& open, const Cancel& action) {
  const OrderId cancelling = open.order.id;
  close(action.order, Status::cancelled);
  close(cancelling, Status::done);
}

/// A job that only prints lines hears of it at the next start, and so does every job of the tiers in memory.
void RealCluster::begin(OpenOrder& open, const CheckpointEvery& every) {
  if (ranks_ != RanksState::none && every.tier == Tier::storage)
    tell_ranks({RankOrder::cadence, checkpoint_every(Tier::storage)});
  close(open.order.id, Status::done);
}

void RealCluster::begin(OpenOrder& open, const Checkpoint&) {
  if (!job_hears() || ranks_ != RanksState::up) return close(open.order.id, Status::failed);
  // The next step boundary, and the time to write: no rank waits longer for another than that.
  schedule(
      after(now(), std::min(collective_timeout_, kForever - setup_.answers_within) + setup_.answers_within),
      CheckpointDue{open.order.id});
  tell_ranks({RankOrder::checkpoint, 0});
}

// --- the job's ranks -------------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Stop&) { stop_ranks(open); }

void RealCluster::stop_ranks(OpenOrder& open) {
  const OrderId stopping = open.order.id;
  for (const OrderId order : open_orders<Start>()) close(order, Status::failed);
  for (const OrderId order : open_orders<Checkpoint>()) close(order, Status::failed);
  OpenOrder& stop = open_.at(stopping.value);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (!hosts_[h].link || hosts_[h].state != HostState::in_job) continue;
    stop.waiting.insert(h);
    hosts_[h].link->stop_ranks(stopping);
    expect_answer(HostId{h}, Debt::stop, stopping.value, grace());
  }
  if (stop.waiting.empty()) {
    end_rank_faults();
    close(stopping, Status::done);
  }
}

void RealCluster::begin(OpenOrder& open, const Start&) {
  if (!open.taken) return close(open.order.id, Status::failed);
  if (job_never_trained()) {
    platform_.say("no start came to a step, and in " + std::to_string(kStartsWithoutAStep) +
                  " or more ranks ended by themselves: look for the cause in the job, not in its hosts; the "
                  "drill ends");
    close(open.order.id, Status::failed);
    return finish(Ending::stopped);
  }
  start_ranks(open);
}

/// Once a fault of the plan strikes, starts may fail for its sake; ranks that a signal ended may have met a broken host. The first rank
/// that fails in a start counts: others fail because it is gone.
bool RealCluster::job_never_trained() const {
  if (most_steps_ > 0) return false;
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i)
    if (journal_.begun(i)) return false;
  std::set<std::uint32_t> starts, hosts;
  for (const FailedRank& rank : failed_ranks_.all())
    if (rank.code < kSignalled && starts.insert(rank.run).second) hosts.insert(rank.host);
  if (starts.size() < kStartsWithoutAStep) return false;
  return hosts.size() >= std::min(kStartsWithoutAStep, hosts_.size()) || run_ > kMostStartsWithoutAStep;
}

// --- hosts -----------------------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder&, const Acquire&) { grant_spares(); }

void RealCluster::grant_spares() {
  while (!spares_.empty() && seats_.wanted() > 0) {
    const auto waiting = std::find_if(open_.begin(), open_.end(), [](const auto& each) {
      return std::holds_alternative<Acquire>(each.second.order.what);
    });
    if (waiting == open_.end()) return;
    const HostId host = spares_.front();
    close(OrderId{waiting->first}, Status::done, Granted{host});
  }
}

void RealCluster::begin(OpenOrder& open, const Evict& action) {
  const Host& host = hosts_[action.host.value];
  const bool holds_ranks = host.state == HostState::in_job && ranks_ != RanksState::none;
  if (host.state == HostState::in_repair || host.state == HostState::returned || holds_ranks) {
    return close(open.order.id, Status::failed);
  }
  const HostId leaving = action.host;  // the order is gone with its outcome
  release(leaving);
  platform_.supply().evicted(name_of(leaving));
  close(open.order.id, Status::done);
  schedule(hosts_[leaving.value].repaired, RepairDue{leaving});
}

void RealCluster::begin(OpenOrder& open, const Readmit& action) {
  if (hosts_[action.host.value].state != HostState::returned) return close(open.order.id, Status::failed);
  send_watches(action.host);
  platform_.supply().readmitted(name_of(action.host));
  close(open.order.id, Status::done);
  grant_spares();
}

// --- diagnosis and people --------------------------------------------------------------------------------------------------

void RealCluster::begin(OpenOrder& open, const Ask&) {
  if (setup_.desk != nullptr)
    platform_.say("a person is asked which host is the culprit: gauntlet ctl answer HOST, or --none");
  schedule(now() + from_seconds(world_->people.response.sample(person_draws_)), WakeDue{open.order.id});
}

void RealCluster::begin(OpenOrder& open, const Alert& action) {
  platform_.say("alert: detectors point at " + gauntlet::name_of(action.who) +
                "; nothing waits for a person");
  close(open.order.id, Status::done);
}

/// Its agent ends, and no other is started.
void RealCluster::begin(OpenOrder& open, const Retire& action) {
  const HostState state = hosts_[action.host.value].state;
  if (state != HostState::in_repair && state != HostState::returned)
    return close(open.order.id, Status::failed);
  std::erase_if(timers_, [&](const auto& each) {
    const auto* repair = std::get_if<RepairDue>(&each.second);
    return repair != nullptr && repair->host == action.host;
  });
  if (hosts_[action.host.value].link || hosts_[action.host.value].dialled) release(action.host);
  end_faults_of(action.host);
  close(open.order.id, Status::done);
}

/// A drill has the hosts that it was given: nobody else uses them until the next start.
void RealCluster::begin(OpenOrder& open, const Release&) {
  close(open.order.id, ranks_ == RanksState::none ? Status::done : Status::failed);
}

/// Its agent stays.
void RealCluster::begin(OpenOrder& open, const StandBy& action) {
  const bool idle = hosts_[action.host.value].state == HostState::in_job && ranks_ == RanksState::none;
  close(open.order.id, idle ? Status::done : Status::failed);
}

}  // namespace gauntlet
