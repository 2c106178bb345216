// Agents of the drill: leases, watches, their end, and taking over from an earlier driver.
#include "core/quantity.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace gauntlet {
namespace {

// Leases are renewed a share of the hosts at a time. Those of 10,000 at once, with their answers, would keep all else waiting for a second.
constexpr std::uint32_t kLeaseShares = 50;

/// An agent that is told to quit, with its ranks.
Duration quits_within(const DrillSetup& setup) {
  return std::min<Duration>(setup.answers_within, std::chrono::seconds(5));
}

/// Says who has the drill from now on, before its files are opened: opening them replaces them, and an earlier driver
/// writes on in those that nobody reads any more.
DrillSetup take_drill(DrillSetup setup) {
  if (newest_epoch(setup.directory).value_or(0) < setup.epoch) write_epoch(setup.directory, setup.epoch);
  const std::string problem = problem_of_owner(setup.directory, setup.epoch);
  if (!problem.empty()) throw Superseded(problem);
  return setup;
}

}  // namespace

RealCluster::RealCluster(const World& world, DrillSetup setup, const Record& so_far, Platform& platform)
    : world_(&world),
      setup_(take_drill(std::move(setup))),
      platform_(platform),
      clock_(setup_.started_ns),
      journal_(setup_.directory + "/journal"),
      progress_(setup_.directory + "/progress"),
      times_(setup_.directory + "/clocks", platform.one_clock()),
      failed_ranks_(setup_.directory + "/failed-ranks"),
      operators_(operators_file(setup_.directory)),
      operator_actions_(operators_.found()),
      missed_(missed_faults_file(setup_.directory)),
      missed_faults_(missed_.found()),
      inbox_filled_(platform.clock().alarm()),
      hosts_(world.inventory.hosts()),
      seats_(world.inventory, world.job.layout),
      person_draws_(setup_.seed, stream_name("person")),
      stop_requests_(stop_requests(world, setup_.plan)) {
  for (const HostId host : seats_.hosts()) hosts_[host.value].state = HostState::in_job;
  for (std::uint32_t h = world.inventory.job_hosts; h < hosts_.size(); ++h) spares_.push_back(HostId{h});

  for (const RawProgress::Entry& entry : progress_.entries()) {
    if (entry.rank == 0 && entry.line.kind == RankLine::Kind::step)
      most_steps_ = std::max(most_steps_, entry.line.step);
  }
  const bool taking_over = !so_far.observations.empty();
  if (taking_over) restore(so_far);
  run_ = std::max(run_, last_run_begun());
  alive_at_ns_ = platform_.clock().monotonic_ns();
  const auto shares = static_cast<std::uint32_t>(std::clamp<std::size_t>(hosts_.size(), 1, kLeaseShares));
  renewer_ = platform_.clock().repeat(world.drill.lease / 4 / shares, [this, shares, next = 0U]() mutable {
    renew_leases(next++ % shares, shares);
  });
  try {
    begin_drill(taking_over);
  } catch (...) {
    const bool said = superseded_;
    find_agents();
    end_agents();
    // Then that is why it failed: its agents ended on the later driver's order, or it was told to stop too late.
    if (superseded_ && !said) throw Superseded("another driver took over while agents were started");
    throw;
  }
}

/// None is used twice: an earlier driver may have begun one that no order and no rank tells of.
std::uint32_t RealCluster::last_run_begun() const {
  std::uint32_t last = 0;
  for (const RawProgress::Entry& entry : progress_.entries()) last = std::max(last, entry.run);
  constexpr std::string_view kRun = "run-";
  for (const auto& each : std::filesystem::directory_iterator(setup_.directory)) {
    const std::string name = each.path().filename().string();
    std::uint32_t number = 0;
    if (!name.starts_with(kRun)) continue;
    std::from_chars(name.data() + kRun.size(), name.data() + name.size(), number);
    last = std::max(last, number);
  }
  return last;
}

void RealCluster::begin_drill(bool taking_over) {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (has_agent(HostId{h}) && !taking_over) launch(HostId{h});
  }
  attend_to_all();
  progress_at_ = now();
  if (world_->job.window > Duration::zero()) schedule(kStart + world_->job.window, WindowDue{});
  if (world_->job.give_up_after > Duration::zero()) {
    schedule(after(progress_at_, world_->job.give_up_after), GiveUpDue{});
  }
  for (std::size_t i = stops_requested_; i < stop_requests_.size(); ++i)
    schedule(stop_requests_[i].at, StopRequestDue{i});
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    if (!taking_over) journal_.write({JournalStep::armed, i, now()});
    const bool strikes = !is_stop_request(world_->faults[setup_.plan[i].kind.value].effect);
    if (strikes && !journal_.begun(i) && !disarmed_) schedule(setup_.plan[i].at, InjectionDue{i});
    if (is_open(i) && lasts(*world_, setup_.plan[i]) < kForever)
      schedule(after(*journal_.observed_at(i), lasts(*world_, setup_.plan[i])), HealDue{i});
  }
  for (std::size_t i = scripted_; i < world_->operators.size(); ++i)
    schedule(world_->operators[i].at, OperatorDue{i});
  if (setup_.desk != nullptr) setup_.desk->open([this] { inbox_filled_->wake(); });
  if (taking_over) {
    reconcile();
    if (disarmed_) disarm();
    end_if_down();
  } else {
    push(Started{JobId{0}, world_->inventory});
  }
}

RealCluster::~RealCluster() {
  refuse_unconfirmed();
  if (setup_.desk != nullptr) setup_.desk->close();
  end_agents();
}

/// Those of an earlier driver that this one has not come to attend.
void RealCluster::find_agents() {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h)
    if (has_agent(HostId{h}) && !hosts_[h].process)
      hosts_[h].process = platform_.processes().find(name_of(HostId{h}));
}

/// Nothing is left running; agents that obey a later driver are left to it.
void RealCluster::end_agents() {
  renewer_.reset();
  {
    const std::lock_guard lock(inbox_mutex_);  // nobody may have looked
    for (const Incoming& each : inbox_) {
      const auto* lost = std::get_if<Lost>(&each.what);
      if (lost != nullptr && obeyed_epoch(lost->why).value_or(0) > setup_.epoch) superseded_ = true;
    }
  }
  if (newest_epoch(setup_.directory).value_or(0) > setup_.epoch) superseded_ = true;
  if (superseded_) {
    for (Host& host : hosts_) {
      if (host.process) host.process->let_go();
      host.process.reset();
    }
  } else {
    for (Host& host : hosts_) {
      if (host.link) host.link->quit();
    }
  }
  std::vector<AgentHandle*> processes;
  for (Host& host : hosts_)
    if (host.process) processes.push_back(host.process.get());
  platform_.processes().wait_or_end(processes, quits_within(setup_), setup_.stop);
  for (Host& host : hosts_) {
    host.process.reset();
    if (host.link) host.link->close();
    host.dialled.reset();
  }
  if (!superseded_) hear_last_injections();
}

/// On the repeater's thread: of every host whose number leaves that remainder.
void RealCluster::renew_leases(std::uint32_t remainder, std::uint32_t shares) {
  // Longer than the driver waits for any one agent: for its predecessor to end, for its socket, for its answer.
  const Duration sign_of_life = std::chrono::seconds(20) + 2 * setup_.answers_within;
  const std::lock_guard lock(links_mutex_);
  if (Duration(platform_.clock().monotonic_ns() - alive_at_ns_) >= sign_of_life) return;
  for (std::size_t h = remainder; h < hosts_.size(); h += shares) {
    if (hosts_[h].link) hosts_[h].link->lease(world_->drill.lease, platform_.clock().monotonic_ns());
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

/// Throws Superseded where a later driver has the drill. Agents tell too, but only those that this one talks with.
void RealCluster::check_own() {
  const std::string problem = problem_of_owner(setup_.directory, setup_.epoch);
  if (problem.empty()) return;
  superseded_ = true;
  throw Superseded(problem);
}

/// A heartbeat that is missing is noticed here, everything else by the host's agent.
void RealCluster::watch(HostId host, const Order& order) {
  Host& told = hosts_[host.value];
  const Watch& watch = std::get<Watch>(order.what);
  if (watch.signal != Signal::heartbeat) return told.link->watch(order);
  if (misses_heartbeats(host, watch.id)) return;  // it stands
  told.watched_since = now();
  told.silence.emplace_back(watch.id, SilenceFilter(std::get<Silence>(watch.until), told.watched_since));
  silence_due_ = std::min(silence_due_, told.silence.back().second.deadline());
}

bool RealCluster::misses_heartbeats(HostId host, WatchId watch) const {
  const auto& silence = hosts_[host.value].silence;
  return std::any_of(silence.begin(), silence.end(), [&](const auto& each) { return each.first == watch; });
}

void RealCluster::unwatch(HostId host, WatchId watch) {
  Host& told = hosts_[host.value];
  if (std::erase_if(told.silence, [&](const auto& each) { return each.first == watch; }) > 0) return;
  if (told.link) told.link->unwatch(watch);
}

void RealCluster::send_watches(HostId host) {
  Host& told = hosts_[host.value];
  if (!told.link) return;  // it will be told when it is attended to
  told.silence.clear();
  told.watched_since = now();
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (!is_watched(watch.who, host)) continue;
    this->watch(host, order);
  }
}

/// Whether a host belongs to a scope, as the job is seated. The hosts of a stage are those of the slots whose first rank is in it.
bool RealCluster::is_watched(const Scope& scope, HostId host) const {
  if (scope.kind != ComponentKind::host || scope.subset == Scope::Subset::all ||
      scope.subset == Scope::Subset::job)
    return true;
  if (scope.subset == Scope::Subset::one) return scope.index == host.value;
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < seats_.hosts().size(); ++slot) {
    if (seats_.layout().coordinates(rank_of_seat({slot, 0}, world_->inventory.gpus_per_host)).pp ==
        scope.stage)
      slots.push_back(slot);
  }
  const std::size_t count = std::min<std::size_t>(slots.size(), scope.most);
  for (std::size_t member = 0; member < count; ++member) {
    if (seats_.hosts()[slots[member * slots.size() / count]] == host) return true;
  }
  return false;
}

/// At a start other hosts may sit in the slots of a stage.
void RealCluster::renew_stage_watches() {
  for (const Order& order : watches_) {
    const Watch& watch = std::get<Watch>(order.what);
    if (watch.who.subset != Scope::Subset::stage || std::holds_alternative<Sample>(watch.until)) continue;
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      if (!hosts_[h].link) continue;
      if (is_watched(watch.who, HostId{h}))
        this->watch(HostId{h}, order);
      else
        unwatch(HostId{h}, watch.id);
    }
  }
}

/// The host leaves: its agent and ranks end. An agent that does not attend is not told to quit, and is given no time for that.
void RealCluster::release(HostId host) {
  Host& leaving = hosts_[host.value];
  ++leaving.connection;
  leaving.silence.clear();
  leaving.unpaid.clear();
  const bool told = leaving.link != nullptr;
  if (told) leaving.link->quit();
  const Duration patience = told ? quits_within(setup_) : Duration::zero();
  if (leaving.process && !leaving.process->wait_or_end(patience, setup_.stop) && told && !setup_.stopped()) {
    platform_.say("agent of host " + std::to_string(host.value) + " did not quit within " +
                  to_text(patience) + "; it was ended");
  }
  leaving.process.reset();
  hang_up(host);
  note_undone(host);
  end_waiting_for(host);
}

// --- taking over -------------------------------------------------------------------------------------------------------

/// What the orders so far and their outcomes have made of the cluster, by the same take() and apply() as live. Orders that have
/// no outcome yet stay open.
void RealCluster::restore(const Record& so_far) {
  std::map<std::uint64_t, std::size_t> heard;  // when the outcome of an order was
  for (std::size_t i = 0; i < so_far.observations.size(); ++i) {
    if (const auto* outcome = std::get_if<Outcome>(&so_far.observations[i].what))
      heard.emplace(outcome->order.value, i);
  }
  const auto answer = [&](const Observed& seen) {
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    const auto found = outcome == nullptr ? open_.end() : open_.find(outcome->order.value);
    if (found == open_.end()) return;
    apply(found->second.order, outcome->status, outcome->result);
    open_.erase(found);
  };
  auto order = so_far.orders.begin();
  for (std::size_t i = 0; i < so_far.observations.size(); ++i) {
    const Observed& seen = so_far.observations[i];
    last_ = std::max(last_, seen.at);
    answer(seen);
    if (std::holds_alternative<StopRequest>(seen.what)) ++stops_requested_;
    if (const auto* acted = std::get_if<OperatorActed>(&seen.what)) note_action(*acted);
    if (const auto* returned = std::get_if<HostReturned>(&seen.what)) {
      hosts_[returned->host.value].state = HostState::returned;
    }
    for (; order != so_far.orders.end() && order->observations <= i + 1; ++order) {
      note_order(order->order);
      const std::uint64_t id = order->order.id.value;
      const bool taken = take(order->order);
      const auto outcome = heard.find(id);
      const bool moves_host = std::holds_alternative<Evict>(order->order.what) ||
                              std::holds_alternative<Readmit>(order->order.what) ||
                              std::holds_alternative<Retire>(order->order.what) ||
                              std::holds_alternative<StandBy>(order->order.what);
      if (moves_host && outcome != heard.end()) {  // these are done when they are begun
        const auto& done = std::get<Outcome>(so_far.observations[outcome->second].what);
        apply(order->order, done.status, done.result);
      } else {
        open_.emplace(id, OpenOrder{order->order, order->at, taken});
      }
      restore_grants(so_far, heard);
    }
  }
}

/// A host is granted when it is ordered or comes back, though its grant may be heard of later: after an eviction of it, or after a
/// start that counts with it.
void RealCluster::restore_grants(const Record& so_far, const std::map<std::uint64_t, std::size_t>& heard) {
  for (auto open = open_.begin(); open != open_.end() && seats_.wanted() > 0;) {
    const auto outcome = heard.find(open->first);
    const Outcome* grant = nullptr;
    if (std::holds_alternative<Acquire>(open->second.order.what) && outcome != heard.end())
      grant = &std::get<Outcome>(so_far.observations[outcome->second].what);
    const auto* granted = grant == nullptr ? nullptr : std::get_if<Granted>(&grant->result);
    const bool here =
        granted != nullptr && std::find(spares_.begin(), spares_.end(), granted->host) != spares_.end();
    if (here) apply(open->second.order, grant->status, grant->result);
    open = here ? open_.erase(open) : std::next(open);
  }
}

/// Begins again what was open, and reports what was lost while nobody watched.
void RealCluster::reconcile() {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].state == HostState::in_repair)
      schedule(std::max(now(), hosts_[h].repaired), RepairDue{HostId{h}});
  }
  const std::map<std::uint64_t, OpenOrder> open = std::exchange(open_, {});
  if (ranks_ == RanksState::up) {
    begin_segments();
    // The links' first messages say who still has ranks of this run.
    const std::lock_guard lock(inbox_mutex_);
    for (const HostId host : seats_.hosts()) {
      const AgentAttending* said = nullptr;
      for (const Incoming& each : inbox_) {
        if (each.host != host.value || each.connection != hosts_[host.value].connection) continue;
        const auto* message = std::get_if<AgentMessage>(&each.what);
        if (message != nullptr && std::holds_alternative<AgentAttending>(*message))
          said = &std::get<AgentAttending>(*message);
      }
      const bool runs =
          said != nullptr && said->run == run_ && said->ranks.size() == seats_.ranks_of(host).size();
      // Ranks that ended because no driver gave a lease are victims: no host is to blame.
      const bool lapsed = said != nullptr && said->lapsed_run == run_;
      if (!runs && lapsed) ranks_lost(host, kAbortedByWatchdog);
      if (!runs && !lapsed) ranks_lost(host);
    }
  }
  for (const auto& [id, each] : open) {
    if (each.taken && std::holds_alternative<Start>(each.order.what))
      ranks_ = RanksState::none;  // from nothing
    obey(each.order);             // restore() has noted it
  }
}

}  // namespace gauntlet
