// Attending to agents: they are started and dialled, their answers are awaited, and each is told what stands. At the start the
// driver waits for agents, during the drill it looks at each from time to time.
#include "core/quantity.hpp"
#include "real/driver/line_expressions.hpp"
#include "real/driver/real_cluster.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr Duration kAgentIsThere =
    std::chrono::seconds(2);  // one that an earlier driver left, or that has had time to start

// Their handshakes take a driver a quarter of a second (8 ms each: docs/performance.md, "Agents of one driver"). On a core that it shares
// with fifteen others that is less than the 5 s in which a handshake has to end.
constexpr std::size_t kDialledAhead = 32;

constexpr Duration kListens = std::chrono::milliseconds(20);  // how soon it is noticed that an agent does
constexpr Duration kObeys =
    std::chrono::seconds(5);  // an agent that is told to end: it stops its ranks first

constexpr std::size_t kMostNamed = 10;  // of the hosts whose agents do not answer

}  // namespace

void RealCluster::launch(HostId host) {
  check_own();
  hosts_[host.value].process = platform_.processes().start(name_of(host), !setup_.plan.empty(), setup_.stop);
}

/// A step towards an agent that attends to the host, during the drill. None waits, so that no host keeps the driver from others.
/// Nothing where an agent attends, else after how long to call again.
std::optional<Duration> RealCluster::attend(HostId host) {
  Host& attended = hosts_[host.value];
  if (!attended.dialled) {
    if (!is_gone(host)) return kAgentLook;
    const std::string why = problem_of_launch(host);
    if (!why.empty()) {
      platform_.say(why);
      attended.attends_by = now();
      return kAgentRetry;
    }
    attended.attends_by = after(now(), setup_.answers_within);
  }
  std::string why;
  const bool ended = has_ended(host, Duration::zero());
  const Attends attends = ended ? Attends::refused : attended.dialled->look(why);
  if (ended) why = "it ended";
  if (attends == Attends::yes) {
    greet(host);
    return std::nullopt;
  }
  check_obeyed(why);
  if (attends == Attends::not_yet && now() < attended.attends_by) return kAgentLook;
  if (!setup_.stopped()) platform_.say(silence_of(host, why));
  attended.attends_by = now();
  hang_up(host);
  end_process(host);
  return kAgentRetry;
}

/// Whether the host's agent is being started again, and may still attend in time.
bool RealCluster::is_coming(HostId host) {
  const Host& awaited = hosts_[host.value];
  return !awaited.link && has_agent(host) && now() < awaited.attends_by;
}

/// Whether an order waits for agents of these hosts that are being started again: then it is begun again soon. No order waits longer
/// than one agent may, whatever becomes of the others meanwhile.
bool RealCluster::waits_for_agents(const OpenOrder& open, const std::vector<HostId>& hosts) {
  const bool coming =
      std::any_of(hosts.begin(), hosts.end(), [this](HostId host) { return is_coming(host); });
  if (!coming || now() >= after(open.began, setup_.answers_within)) return false;
  schedule(now() + kAgentLook, AgentsDue{open.order.id});
  return true;
}

void RealCluster::on(const AgentsDue& due) {
  OpenOrder* open = find(due.order);
  if (open == nullptr) return;
  if (std::holds_alternative<Start>(open->order.what))
    start_ranks(*open);
  else
    begin_probe(*open);
}

/// Starts the agent and dials it.
std::string RealCluster::problem_of_launch(HostId host) {
  try {
    launch(host);
    dial(host);
    return "";
  } catch (const Superseded&) {
    throw;
  } catch (const std::runtime_error& error) {
    end_process(host);
    return error.what();
  }
}

/// Of the host's last agent: told to end, then killed. One that the kernel holds keeps its place until it ends.
bool RealCluster::is_gone(HostId host) {
  Host& former = hosts_[host.value];
  if (former.process && !former.process->exits_within(Duration::zero())) {
    if (!former.killed && now() >= former.ends_by) {
      platform_.say("the agent of host " + std::to_string(host.value) + " did not end within " +
                    to_text(kObeys) + "; it is killed, and its host has no agent until it is gone");
      kill_process(host);
    }
    return false;
  }
  former.process.reset();
  return true;
}

void RealCluster::end_process(HostId host) {
  Host& ending = hosts_[host.value];
  if (!ending.process) return;
  ending.process->terminate();
  ending.ends_by = after(now(), kObeys);
  ending.killed = false;
}

void RealCluster::kill_process(HostId host) {
  Host& ending = hosts_[host.value];
  if (ending.process) ending.process->kill();
  ending.killed = true;
}

/// Nobody is dialled there, and nobody attends.
void RealCluster::hang_up(HostId host) {
  hosts_[host.value].dialled.reset();
  set_link(host, nullptr);
}

/// One such timer for each host.
void RealCluster::schedule_attend(HostId host, Time at) {
  std::erase_if(timers_, [host](const auto& each) {
    const auto* due = std::get_if<AttendDue>(&each.second);
    return due != nullptr && due->host == host;
  });
  schedule(at, AttendDue{host});
}

/// Handshakes with the next agents go on while one is awaited. Those that are late are awaited last and together, so that each has
/// `answers_within` and all of them no more. Those that are dead are awaited together too: an earlier driver may have ended all of them.
void RealCluster::attend_to_all() {
  std::vector<HostId> hosts;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (has_agent(HostId{h})) hosts.push_back(HostId{h});
  }
  agents_awaited_ = hosts.size();
  const Duration look = std::min(kAgentIsThere, setup_.answers_within);
  const std::int64_t begin = platform_.clock().monotonic_ns();
  const auto is_dead = [&](HostId host) {
    if (hosts_[host.value].process || Duration(platform_.clock().monotonic_ns() - begin) < look) return false;
    const auto found = platform_.processes().find(name_of(host));
    if (found) found->let_go();
    return !found;
  };
  std::vector<std::pair<HostId, std::string>> late;
  for (std::size_t i = 0, dialled = 0; i < hosts.size(); ++i) {
    while (dialled < std::min(hosts.size(), i + kDialledAhead)) dial(hosts[dialled++]);
    // Where many are late, they wait for each other; an earlier driver's agent has ranks to lose.
    const bool many = late.size() >= kDialledAhead && hosts_[hosts[i].value].process;
    const std::string why = wait_for_agent(hosts[i], many || is_dead(hosts[i]) ? Duration::zero() : look);
    if (why.empty())
      greet(hosts[i]);
    else
      late.emplace_back(hosts[i], why);
  }
  for (const auto& [host, why] : late) {
    if (hosts_[host.value].process) continue;
    platform_.say("the earlier driver's agent of host " + std::to_string(host.value) + " does not answer (" +
                  why + "); starting another");
    launch(host);
    dial(host);
  }
  const std::int64_t until = platform_.clock().monotonic_ns() + setup_.answers_within.count();
  std::vector<std::string> silent;
  for (const auto& [host, before] : late) {
    const std::string why =
        wait_for_agent(host, std::max(look, Duration(until - platform_.clock().monotonic_ns())));
    if (why.empty())
      greet(host);
    else
      silent.push_back(silence_of(host, why));
    if (silent.size() == kMostNamed) break;
  }
  if (silent.empty()) return;
  std::string problem;
  for (const std::string& each : silent) problem += (problem.empty() ? "" : "\n") + each;
  if (agents_awaited_ > silent.size())
    problem += "\n" + std::to_string(agents_awaited_ - silent.size()) +
               " more agents were late, and were not waited for";
  throw std::runtime_error(problem);
}

std::string RealCluster::silence_of(HostId host, const std::string& why) const {
  return "the agent of host " + std::to_string(host.value) + " does not answer: " + why + "; " +
         platform_.processes().last_words(name_of(host));
}

/// Makes the link, and lets it connect.
void RealCluster::dial(HostId host) {
  Host& attended = hosts_[host.value];
  const std::uint32_t connection = ++attended.connection;
  attended.unpaid.clear();
  attended.heard = now();
  const auto clock = std::make_shared<AgentClock>();
  {
    const std::lock_guard lock(inbox_mutex_);
    attended.clock = clock;
  }
  const auto put = [this, host, connection, clock](std::variant<AgentMessage, Lost, ClockJump> what) {
    {
      const std::lock_guard lock(inbox_mutex_);
      const std::int64_t now_ns = platform_.clock().monotonic_ns();
      const auto* message = std::get_if<AgentMessage>(&what);
      std::optional<ClockExchange> exchange = message == nullptr ? std::nullopt : exchange_of(*message);
      if (exchange) {
        exchange->answered_ns = now_ns;
        if (!clock->add(*exchange))
          inbox_.push_back({host.value, connection, clock_.at(now_ns), clock, ClockJump{}});
      }
      inbox_.push_back({host.value, connection, clock_.at(now_ns), clock, std::move(what)});
    }
    inbox_filled_->wake();
  };
  attended.dialled =
      platform_.transport().link(name_of(host),
                                 {.epoch = setup_.epoch,
                                  .greeting = {.started_ns = setup_.started_ns,
                                               .patterns = world_->patterns,
                                               .heartbeat_period = world_->telemetry.heartbeat_period,
                                               .expressions = line_expressions(*world_),
                                               .traffic_interval = world_->telemetry.traffic_interval,
                                               .step_time = world_->job.step_time,
                                               .host = host.value,
                                               .segments = setup_.segments != nullptr},
                                  .sent_ns = platform_.clock().monotonic_ns(),
                                  .anew = attended.process != nullptr},
                                 {.receive = [put](const AgentMessage& message) { put(message); },
                                  .lost = [put](const std::string& why) { put(Lost{why}); }});
  if (platform_.transport().listens(name_of(host))) attended.dialled->begin_connect();
}

/// Why an agent that was dialled does not attend within the time; empty where it does. May be called again.
std::string RealCluster::wait_for_agent(HostId host, Duration patience) {
  alive_at_ns_ = platform_.clock().monotonic_ns();
  report_status(false);
  hear_heartbeats();
  std::string why = "it ended";
  if (!has_ended(host, patience) && hosts_[host.value].dialled->connect(patience, why, setup_.stop))
    return "";
  check_obeyed(why);
  if (setup_.stopped()) throw Interrupted("asked to stop while agents were started");
  return why;
}

/// Whether an agent of ours ends before it listens. Returns when it listens, too.
bool RealCluster::has_ended(HostId host, Duration patience) {
  const Host& awaited = hosts_[host.value];
  while (awaited.process && !setup_.stopped() && !platform_.transport().listens(name_of(host))) {
    const Duration look = std::min(kListens, patience);
    if (awaited.process->exits_within(look)) return true;
    patience -= look;
    if (patience <= Duration::zero()) return false;
  }
  return false;
}

/// Throws Superseded where that is why an agent does not attend, or no longer.
void RealCluster::check_obeyed(const std::string& why) {
  if (obeyed_epoch(why).value_or(0) <= setup_.epoch) return;
  superseded_ = true;
  throw Superseded("another driver took over: " + why);
}

/// What agents say waits until all of them attend, and thousands say much meanwhile: their heartbeats are heard at once.
void RealCluster::hear_heartbeats() {
  std::deque<Incoming> heartbeats;
  {
    const std::lock_guard lock(inbox_mutex_);
    const auto rest = std::stable_partition(inbox_.begin(), inbox_.end(), [](const Incoming& each) {
      const auto* message = std::get_if<AgentMessage>(&each.what);
      return message == nullptr || !std::holds_alternative<AgentHeartbeat>(*message);
    });
    std::move(rest, inbox_.end(), std::back_inserter(heartbeats));
    inbox_.erase(rest, inbox_.end());
  }
  for (const Incoming& each : heartbeats) hear(each);
}

/// Tells an agent that attends what stands.
void RealCluster::greet(HostId host) {
  Host& attended = hosts_[host.value];
  set_link(host, std::move(attended.dialled));
  if (agents_awaited_ > 0) --agents_awaited_;
  // From now on it is waited for like one of ours: its stream breaks before it is gone.
  if (!attended.process) {
    attended.process = platform_.processes().find(name_of(host));
    if (!attended.process)
      platform_.say("the process of the agent of host " + std::to_string(host.value) +
                    " is not to be found; its end is not awaited");
  }
  attended.link->lease(world_->drill.lease, platform_.clock().monotonic_ns());
  send_watches(host);
  inject_again(host);
  ask_undone(host);
}

}  // namespace gauntlet
