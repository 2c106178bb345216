// Agents of the drill: starting them, attending to them, and taking over from an earlier driver.
#include "core/quantity.hpp"
#include "real/agent/agent.hpp"
#include "real/agent/place.hpp"
#include "real/real_cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr Duration kAgentIsThere = std::chrono::seconds(2);  // one that an earlier driver left

/// An agent that is told to quit, with its ranks.
Duration quits_within(const DrillSetup& setup) {
  return std::min<Duration>(setup.answers_within, std::chrono::seconds(5));
}

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

  for (const RawProgress::Entry& entry : progress_.entries()) {
    if (entry.rank == 0 && entry.line.kind == RankLine::Kind::step)
      most_steps_ = std::max(most_steps_, entry.line.step);
  }
  const bool taking_over = !so_far.observations.empty();
  if (taking_over) restore(so_far);
  for (const RawProgress::Entry& entry : progress_.entries())
    run_ = std::max(run_, entry.run);  // none is used twice
  alive_at_ns_ = monotonic_ns();
  renewer_ = std::thread([this] { renew_leases(); });
  try {
    begin_drill(taking_over);
  } catch (...) {
    end_agents();
    throw;
  }
}

void RealCluster::begin_drill(bool taking_over) {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state != HostState::in_repair && !taking_over) launch(HostId{h});
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state != HostState::in_repair) attend(HostId{h});
  }
  progress_at_ = now();
  if (world_->job.window > Duration::zero()) schedule(kStart + world_->job.window, WindowDue{});
  if (world_->job.give_up_after > Duration::zero()) {
    schedule(after(progress_at_, world_->job.give_up_after), GiveUpDue{});
  }
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    if (!taking_over) journal_.write({JournalStep::armed, i, now()});
    if (!journal_.begun(i)) schedule(setup_.plan[i].at, InjectionDue{i});
  }
  if (taking_over) {
    reconcile();
  } else {
    push(Started{JobId{0}, world_->inventory});
  }
}

RealCluster::~RealCluster() { end_agents(); }

/// Nothing is left running; agents that obey a later driver are left to it.
void RealCluster::end_agents() {
  {
    const std::lock_guard lock(links_mutex_);
    renewing_ = false;
  }
  leases_end_.notify_all();
  renewer_.join();
  {
    const std::lock_guard lock(inbox_mutex_);  // nobody may have looked
    for (const Incoming& each : inbox_) {
      const auto* lost = std::get_if<Lost>(&each.what);
      if (lost != nullptr && obeyed_epoch(lost->why).value_or(0) > setup_.epoch) superseded_ = true;
    }
  }
  if (superseded_) {
    for (Host& host : hosts_) host.process.let_go();
  } else {
    for (Host& host : hosts_) {
      if (host.link) host.link->quit();
    }
  }
  std::vector<AgentProcess*> processes;
  for (Host& host : hosts_) processes.push_back(&host.process);
  AgentProcess::wait_or_end(processes, quits_within(setup_), setup_.stop);
  for (Host& host : hosts_)
    if (host.link) host.link->close();
  if (!superseded_) hear_last_injections();
}

/// The body of the renewing thread.
void RealCluster::renew_leases() {
  // Longer than the driver waits for any one agent: for its predecessor to end, for its socket, for its answer.
  const Duration sign_of_life = std::chrono::seconds(20) + 2 * setup_.answers_within;
  constexpr Duration kShortest = std::chrono::milliseconds(1);
  std::unique_lock lock(links_mutex_);
  while (renewing_) {
    const bool alive = Duration(monotonic_ns() - alive_at_ns_) < sign_of_life;
    for (const Host& host : hosts_) {
      if (alive && host.link) host.link->lease(world_->drill.lease);
    }
    leases_end_.wait_for(lock, std::max(world_->drill.lease / 4, kShortest));
  }
}

/// The link before it, if any, ends outside the lock: that may take a while.
void RealCluster::set_link(HostId host, std::unique_ptr<AgentLink> link) {
  {
    const std::lock_guard lock(links_mutex_);
    hosts_[host.value].link.swap(link);
  }
  link.reset();
}

void RealCluster::launch(HostId host) {
  const std::string number = std::to_string(host.value);
  std::vector<std::string> arguments = {setup_.gauntlet, "agent",          "--host",    number,
                                        "--directory",   setup_.directory, "--trainer", setup_.trainer};
  if (!setup_.plan.empty()) arguments.emplace_back("--allow-injection");
  AgentProcess(agent_process(setup_.directory, host.value))
      .wait_or_end(Duration::zero(), setup_.stop);  // one that holds the place and does not answer
  hosts_[host.value].process = AgentProcess(arguments, setup_.directory + "/agent-" + number + ".log");
}

/// False, said on standard error, where the agent cannot be started or does not answer.
bool RealCluster::launch_and_attend(HostId host) {
  alive_at_ns_ = monotonic_ns();
  try {
    launch(host);
    attend(host);
    return true;
  } catch (const Superseded&) {
    throw;
  } catch (const std::runtime_error& error) {
    if (!setup_.stopped()) std::fprintf(stderr, "gauntlet: %s\n", error.what());
    set_link(host, nullptr);
    hosts_[host.value].process.wait_or_end(Duration::zero(), setup_.stop);
    return false;
  }
}

/// Where its log is not read any more, its end says why an agent did not answer.
std::string RealCluster::last_words(HostId host) const {
  std::ifstream log(setup_.directory + "/agent-" + std::to_string(host.value) + ".log");
  std::string line, last;
  while (std::getline(log, line)) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : "it last said: " + last;
}

void RealCluster::attend(HostId host) {
  Host& attended = hosts_[host.value];
  const std::uint32_t connection = ++attended.connection;
  attended.unpaid.clear();
  const auto put = [this, host, connection](std::variant<AgentMessage, Lost> what) {
    {
      const std::lock_guard lock(inbox_mutex_);
      inbox_.push_back({host.value, connection, clock_.now(), std::move(what)});
    }
    inbox_filled_.notify_one();
  };
  const auto link = [&] {
    set_link(host, std::make_unique<AgentLink>(
                       agent_socket(setup_.directory, host.value), setup_.epoch,
                       AgentGreeting{.started_ns = setup_.started_ns,
                                     .patterns = world_->patterns,
                                     .heartbeat_period = world_->telemetry.heartbeat_period},
                       [put](const AgentMessage& message) { put(message); },
                       [put](const std::string& why) { put(Lost{why}); }));
  };
  // One that ends before it listens is not waited for.
  const auto connect_started = [&](std::string& why) {
    constexpr Duration kLook = std::chrono::milliseconds(20);
    for (Duration waited{}; waited < setup_.answers_within && !setup_.stopped() &&
                            access(agent_socket(setup_.directory, host.value).c_str(), F_OK) != 0;
         waited += kLook) {
      if (!attended.process.exits_within(kLook)) continue;
      why = "it ended";
      return false;
    }
    return attended.link->connect(setup_.answers_within, why, setup_.stop);
  };
  alive_at_ns_ = monotonic_ns();
  std::string why;
  link();
  const bool started_by_us = attended.process.running();
  bool answers =
      started_by_us ? connect_started(why) : attended.link->connect(kAgentIsThere, why, setup_.stop);
  if (!answers && obeyed_epoch(why).value_or(0) > setup_.epoch) {
    superseded_ = true;
    throw Superseded("another driver took over: " + why);
  }
  if (!answers && setup_.stopped()) throw Interrupted("asked to stop while agents were started");
  if (!answers && !started_by_us) {
    std::fprintf(stderr,
                 "gauntlet: the earlier driver's agent of host %u does not answer (%s); starting another\n",
                 host.value, why.c_str());
    launch(host);
    link();
    answers = connect_started(why);
  }
  if (!answers && setup_.stopped()) throw Interrupted("asked to stop while agents were started");
  if (!answers) {
    throw std::runtime_error("the agent of host " + std::to_string(host.value) + " does not answer: " + why +
                             "; " + last_words(host));
  }
  // From now on it is waited for like one of ours: its stream breaks before it is gone.
  if (!attended.process.running()) {
    attended.process = AgentProcess(agent_process(setup_.directory, host.value));
    if (!attended.process.running())
      std::fprintf(
          stderr,
          "gauntlet: the process of the agent of host %u is not to be found; its end is not awaited\n",
          host.value);
  }
  attended.link->lease(world_->drill.lease);
  send_watches(host);
  inject_again(host);
}

void RealCluster::send_watches(HostId host) {
  Host& told = hosts_[host.value];
  if (!told.link) return;  // it will be told when it is attended to
  told.silence.clear();
  told.watched_since = now();
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (watch.signal == Signal::heartbeat) {
      told.silence.emplace_back(watch.id, SilenceFilter(std::get<Silence>(watch.until), told.watched_since));
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
  leaving.unpaid.clear();
  if (leaving.link) leaving.link->quit();
  if (!leaving.process.wait_or_end(quits_within(setup_), setup_.stop) && !setup_.stopped()) {
    std::fprintf(stderr, "gauntlet: agent of host %u did not quit within %s; it was ended\n", host.value,
                 to_text(quits_within(setup_)).c_str());
  }
  set_link(host, nullptr);
  end_waiting_for(host);
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
  return rank_of_seat({static_cast<std::uint32_t>(slot - slots_.begin()), gpu},
                      world_->inventory.gpus_per_host);
}

// --- taking over -------------------------------------------------------------------------------------------------------

/// What the orders so far and their outcomes have made of the cluster, by the same take() and apply() as live. Orders that have no outcome yet stay open.
void RealCluster::restore(const Record& so_far) {
  std::map<std::uint64_t, Outcome> outcomes;
  for (const Observed& seen : so_far.observations) {
    if (const auto* outcome = std::get_if<Outcome>(&seen.what))
      outcomes.emplace(outcome->order.value, *outcome);
  }
  auto order = so_far.orders.begin();
  for (std::size_t i = 0; i < so_far.observations.size(); ++i) {
    const Observed& seen = so_far.observations[i];
    last_ = std::max(last_, seen.at);
    if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      const auto found = open_.find(outcome->order.value);
      if (found != open_.end()) {
        apply(found->second.order, outcome->status, outcome->result);
        open_.erase(found);
      }
    } else if (const auto* returned = std::get_if<HostReturned>(&seen.what)) {
      hosts_[returned->host.value].state = HostState::returned;
    }
    for (; order != so_far.orders.end() && order->observations <= i + 1; ++order) {
      const std::uint64_t id = order->order.id.value;
      const bool taken = take(order->order);
      const auto outcome = outcomes.find(id);
      const bool moves_host = std::holds_alternative<Evict>(order->order.what) ||
                              std::holds_alternative<Readmit>(order->order.what);
      if (moves_host && outcome != outcomes.end()) {  // these are done when they are begun
        apply(order->order, outcome->second.status, outcome->second.result);
      } else {
        open_.emplace(id, OpenOrder{order->order, order->at, taken, {}, 0, {}});
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
        return attending != nullptr && attending->run == run_ &&
               attending->ranks.size() == ranks_of(host).size();
      });
      if (!runs) ranks_lost(host);
    }
  }
  for (const auto& [id, each] : open) {
    if (each.taken && std::holds_alternative<Start>(each.order.what))
      ranks_ = RanksState::none;  // from nothing
    start(each.order);
  }
}

}  // namespace gauntlet
