// Agents of the drill: starting them, attending to them, and taking over from an earlier driver.
#include <algorithm>
#include <stdexcept>

#include "real/real_cluster.hpp"

namespace gauntlet {
namespace {

constexpr Duration kAgentAnswers = std::chrono::seconds(20);  // a started agent, on a busy machine
constexpr Duration kAgentIsThere = std::chrono::seconds(2);   // one that an earlier driver left

}  // namespace

RealCluster::RealCluster(const World& world, DrillSetup setup, const Record& so_far)
    : world_(&world),
      setup_(std::move(setup)),
      clock_(setup_.started_ns),
      journal_(setup_.directory + "/journal"),
      progress_(setup_.directory + "/progress"),
      hosts_(world.inventory.hosts()),
      repair_draws_(setup_.seed, stream_name("repair")),
      person_draws_(setup_.seed, stream_name("person")) {
  for (std::uint32_t s = 0; s < world.inventory.job_hosts; ++s) {
    slots_.push_back(HostId{s});
    hosts_[s].state = HostState::in_job;
  }
  for (std::uint32_t h = world.inventory.job_hosts; h < hosts_.size(); ++h) spares_.push_back(HostId{h});

  const bool taking_over = !so_far.observations.empty();
  if (taking_over) restore(so_far);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state != HostState::in_repair && !taking_over) launch(HostId{h});
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state != HostState::in_repair) attend(HostId{h});
  }
  on(LeaseDue{});
  if (world.job.window > Duration::zero()) schedule(kStart + world.job.window, WindowDue{});
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    if (!taking_over) journal_.write({JournalStep::armed, i, now()});
    if (!journal_.begun(i)) schedule(setup_.plan[i].at, InjectionDue{i});
  }
  if (taking_over) {
    reconcile();
  } else {
    push(Started{JobId{0}, world.inventory});
  }
}

RealCluster::~RealCluster() {
  for (Host& host : hosts_) {
    if (host.link) host.link->quit();
  }
  wait_for_farewells();
  for (Host& host : hosts_) {
    host.process.wait_or_end(std::chrono::seconds(5));
    if (host.link) host.link->close();
  }
}

/// Agents that an earlier driver started are not ours to wait for as children; their streams break when they leave.
void RealCluster::wait_for_farewells() {
  std::set<std::uint32_t> staying;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].link && !hosts_[h].process.running()) staying.insert(h);
  }
  const Time until = clock_.now() + std::chrono::seconds(5);
  std::unique_lock lock(inbox_mutex_);
  while (!staying.empty() && clock_.now() < until) {
    for (const Incoming& each : inbox_) {
      if (std::holds_alternative<Lost>(each.what)) staying.erase(each.host);
    }
    inbox_.clear();
    if (!staying.empty()) inbox_filled_.wait_for(lock, std::chrono::milliseconds(100));
  }
}

std::string RealCluster::socket_of(HostId host) const {
  return setup_.directory + "/agent-" + std::to_string(host.value) + ".sock";
}

void RealCluster::launch(HostId host) {
  const std::string number = std::to_string(host.value);
  hosts_[host.value].process =
      AgentProcess({setup_.gauntlet, "agent", "--host", number, "--directory", setup_.directory, "--trainer",
                    setup_.trainer, "--allow-injection"},
                   setup_.directory + "/agent-" + number + ".log");
}

void RealCluster::attend(HostId host) {
  Host& attended = hosts_[host.value];
  const std::uint32_t connection = ++attended.connection;
  const auto put = [this, host, connection](std::variant<AgentMessage, Lost> what) {
    {
      const std::lock_guard lock(inbox_mutex_);
      inbox_.push_back({host.value, connection, std::move(what)});
    }
    inbox_filled_.notify_one();
  };
  const auto link = [&] {
    attended.link = std::make_unique<AgentLink>(
        socket_of(host), setup_.epoch,
        AgentGreeting{.started_ns = setup_.started_ns, .patterns = world_->patterns,
                      .heartbeat_period = world_->telemetry.heartbeat_period},
        [put](const AgentMessage& message) { put(message); }, [put](const std::string& why) { put(Lost{why}); });
  };
  std::string why;
  link();
  const bool started_by_us = attended.process.running();
  bool answers = attended.link->connect(started_by_us ? kAgentAnswers : kAgentIsThere, why);
  if (!answers && !started_by_us) {  // the earlier driver's agent is gone too
    launch(host);
    link();
    answers = attended.link->connect(kAgentAnswers, why);
  }
  if (!answers) {
    throw std::runtime_error("the agent of host " + std::to_string(host.value) + " does not answer: " + why + "; see " +
                             setup_.directory + "/agent-" + std::to_string(host.value) + ".log");
  }
  attended.link->lease(world_->drill.lease);
  send_watches(host);
}

void RealCluster::send_watches(HostId host) {
  Host& told = hosts_[host.value];
  told.silence.clear();
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (watch.signal == Signal::heartbeat) {
      told.silence.emplace_back(watch.id, SilenceFilter(std::get<Silence>(watch.until), now()));
    } else {
      told.link->watch(order);
    }
  }
}

/// The host leaves: its agent and ranks end.
void RealCluster::release(HostId host) {
  Host& leaving = hosts_[host.value];
  ++leaving.connection;
  leaving.silence.clear();
  if (leaving.link) leaving.link->quit();
  leaving.process.wait_or_end(std::chrono::seconds(5));
  leaving.link.reset();
}

std::vector<std::uint32_t> RealCluster::ranks_of(HostId host) const {
  std::vector<std::uint32_t> ranks;
  const std::uint32_t per_host = world_->inventory.gpus_per_host;
  for (std::uint32_t rank = 0; rank < world_->job.layout.ranks(); ++rank) {
    if (slots_[seat_of_rank(rank, per_host).slot] == host) ranks.push_back(rank);
  }
  return ranks;
}

/// The rank on that GPU of the host; nothing where the host does not carry the job.
std::optional<std::uint32_t> RealCluster::rank_on(HostId host, std::uint32_t gpu) const {
  const auto slot = std::find(slots_.begin(), slots_.end(), host);
  if (hosts_[host.value].state != HostState::in_job || slot == slots_.end()) return std::nullopt;
  return rank_of_seat({static_cast<std::uint32_t>(slot - slots_.begin()), gpu}, world_->inventory.gpus_per_host);
}

// --- taking over -------------------------------------------------------------------------------------------------------

/// What the orders so far have made of the cluster. Orders that have no outcome yet stay open.
void RealCluster::restore(const Record& so_far) {
  auto order = so_far.orders.begin();
  for (std::size_t i = 0; i < so_far.observations.size(); ++i) {
    const Observed& seen = so_far.observations[i];
    last_ = std::max(last_, seen.at);
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      const auto found = open_.find(outcome->order.value);
      if (found != open_.end()) {
        const Action& what = found->second.order.what;
        if (std::holds_alternative<Start>(what)) {
          ranks_ = outcome->status == Status::done ? RanksState::up : RanksState::starting;
        }
        if (const auto* granted = std::get_if<Granted>(&outcome->result)) {
          std::erase(spares_, granted->host);
          hosts_[granted->host.value].state = HostState::in_job;
          slots_[vacant_.front()] = granted->host;
          vacant_.erase(vacant_.begin());
        }
        open_.erase(found);
      }
    } else if (const auto* returned = std::get_if<HostReturned>(&seen.what)) {
      hosts_[returned->host.value].state = HostState::returned;
    }
    for (; order != so_far.orders.end() && order->observations <= i + 1; ++order) {
      const Action& what = order->order.what;
      open_.emplace(order->order.id.value, OpenOrder{order->order, order->at, {}, false, 0, {}});
      if (std::holds_alternative<Watch>(what)) watches_.push_back(order->order);
      if (const auto* unwatch = std::get_if<Unwatch>(&what)) {
        std::erase_if(watches_, [&](const Order& each) { return std::get<Watch>(each.what).id == unwatch->watch; });
      }
      if (const auto* every = std::get_if<CheckpointEvery>(&what)) checkpoint_interval_ = every->interval;
      if (std::holds_alternative<Stop>(what)) ranks_ = RanksState::none;
      if (const auto* start = std::get_if<Start>(&what)) {
        collective_timeout_ = start->collective_timeout;
        ranks_ = RanksState::starting;
        ++run_;
      }
      if (const auto* evict = std::get_if<Evict>(&what)) {
        if (hosts_[evict->host.value].state == HostState::in_job) {
          const auto slot = std::find(slots_.begin(), slots_.end(), evict->host);
          vacant_.push_back(static_cast<std::uint32_t>(slot - slots_.begin()));
        }
        std::erase(spares_, evict->host);
        hosts_[evict->host.value].state = HostState::in_repair;
      }
      if (const auto* readmit = std::get_if<Readmit>(&what)) {
        hosts_[readmit->host.value].state = HostState::spare;
        spares_.push_back(readmit->host);
      }
    }
  }
}

/// Begins again what was open, and reports what was lost while nobody watched.
void RealCluster::reconcile() {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state == HostState::in_repair) schedule(now(), RepairDue{HostId{h}});
  }
  const std::map<std::uint64_t, OpenOrder> open = std::exchange(open_, {});
  if (ranks_ == RanksState::up) {
    // The links' first messages say who still has ranks of this run.
    const std::lock_guard lock(inbox_mutex_);
    for (const HostId host : slots_) {
      const bool runs = std::any_of(inbox_.begin(), inbox_.end(), [&](const Incoming& each) {
        if (each.host != host.value || each.connection != hosts_[host.value].connection) return false;
        const auto* message = std::get_if<AgentMessage>(&each.what);
        const auto* attending = message == nullptr ? nullptr : std::get_if<AgentAttending>(message);
        return attending != nullptr && attending->run == run_ && attending->ranks.size() == ranks_of(host).size();
      });
      if (!runs) ranks_lost(host);
    }
  }
  for (const auto& [id, each] : open) {
    if (std::holds_alternative<Start>(each.order.what)) ranks_ = RanksState::none;  // begun again from nothing
    start(each.order);
  }
}

}  // namespace gauntlet
