// Attending to agents: they are started and dialled, their answers are awaited, and each is told what stands.
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

constexpr std::size_t kMostNamed = 10;  // of the hosts whose agents do not answer

}  // namespace

void RealCluster::launch(HostId host) {
  check_own();
  hosts_[host.value].process = platform_.processes().start(name_of(host), !setup_.plan.empty(), setup_.stop);
}

/// False, and said, where the agent cannot be started or does not answer.
bool RealCluster::launch_and_attend(HostId host) {
  alive_at_ns_ = platform_.clock().monotonic_ns();
  try {
    launch(host);
    dial(host);
    const std::string why = wait_for_agent(host, setup_.answers_within);
    if (!why.empty()) throw std::runtime_error(silence_of(host, why));
    greet(host);
    return true;
  } catch (const Superseded&) {
    throw;
  } catch (const std::runtime_error& error) {
    if (!setup_.stopped()) platform_.say(error.what());
    set_link(host, nullptr);
    Host& given_up = hosts_[host.value];
    if (given_up.process) given_up.process->wait_or_end(Duration::zero(), setup_.stop);
    given_up.process.reset();
    return false;
  }
}

/// Handshakes with the next agents go on while one is awaited. Those that are late are awaited last and together, so that each has
/// `answers_within` and all of them no more.
void RealCluster::attend_to_all() {
  std::vector<HostId> hosts;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (has_agent(HostId{h})) hosts.push_back(HostId{h});
  }
  agents_awaited_ = hosts.size();
  const Duration look = std::min(kAgentIsThere, setup_.answers_within);
  std::vector<std::pair<HostId, std::string>> late;
  for (std::size_t i = 0, dialled = 0; i < hosts.size(); ++i) {
    while (dialled < std::min(hosts.size(), i + kDialledAhead)) dial(hosts[dialled++]);
    // Where many are late, they wait for each other; an earlier driver's agent has ranks to lose.
    const bool many = late.size() >= kDialledAhead && hosts_[hosts[i].value].process;
    const std::string why = wait_for_agent(hosts[i], many ? Duration::zero() : look);
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
  set_link(host,
           platform_.transport().link(name_of(host),
                                      {.epoch = setup_.epoch,
                                       .greeting = {.started_ns = setup_.started_ns,
                                                    .patterns = world_->patterns,
                                                    .heartbeat_period = world_->telemetry.heartbeat_period,
                                                    .expressions = line_expressions(*world_),
                                                    .traffic_interval = world_->telemetry.traffic_interval,
                                                    .step_time = world_->job.step_time,
                                                    .host = host.value},
                                       .sent_ns = platform_.clock().monotonic_ns(),
                                       .anew = attended.process != nullptr},
                                      {.receive = [put](const AgentMessage& message) { put(message); },
                                       .lost = [put](const std::string& why) { put(Lost{why}); }}));
  if (platform_.transport().listens(name_of(host))) attended.link->begin_connect();
}

/// Why an agent that was dialled does not attend within the time; empty where it does. May be called again.
std::string RealCluster::wait_for_agent(HostId host, Duration patience) {
  constexpr Duration kLook = std::chrono::milliseconds(20);
  const Host& awaited = hosts_[host.value];
  alive_at_ns_ = platform_.clock().monotonic_ns();
  report_status(false);
  hear_heartbeats();
  std::string why;
  // One of ours that ends before it listens is not waited for.
  bool ended = false;
  for (Duration waited{}; awaited.process && !ended && waited < patience && !setup_.stopped() &&
                          !platform_.transport().listens(name_of(host));
       waited += kLook)
    ended = awaited.process->exits_within(kLook);
  if (ended)
    why = "it ended";
  else if (awaited.link->connect(patience, why, setup_.stop))
    return "";
  if (obeyed_epoch(why).value_or(0) > setup_.epoch) {
    superseded_ = true;
    throw Superseded("another driver took over: " + why);
  }
  if (setup_.stopped()) throw Interrupted("asked to stop while agents were started");
  return why;
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
