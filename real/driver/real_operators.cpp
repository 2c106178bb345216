// What operators ask of the driver of a drill, and how the drill stands.
#include "core/quantity.hpp"
#include "models/world/blast_radius.hpp"
#include "real/driver/event_log.hpp"
#include "real/driver/gpus_text.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr Duration kStatusEvery = std::chrono::milliseconds(500);

std::string host_text(HostId host) { return "host " + std::to_string(host.value); }

std::optional<OperatorAction> action_of(OperatorVerb verb) {
  switch (verb) {
    case OperatorVerb::evict:
      return OperatorAction::evict;
    case OperatorVerb::readmit:
      return OperatorAction::readmit;
    case OperatorVerb::maintenance:
      return OperatorAction::maintenance;
    case OperatorVerb::stop:
      return OperatorAction::stop;
    case OperatorVerb::disarm:
      return OperatorAction::disarm;
    case OperatorVerb::status:
    case OperatorVerb::hosts:
    case OperatorVerb::answer:
      break;
  }
  return std::nullopt;
}

std::string rounded_text(Duration value) {
  return to_text(std::chrono::round<std::chrono::milliseconds>(value));
}

std::string percent_text(double share) {
  const auto tenths = static_cast<std::int64_t>(share * 1000 + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

}  // namespace

// --- requests ------------------------------------------------------------------------------------------------------------

void RealCluster::hear_operators() {
  if (setup_.desk == nullptr) return;
  for (OperatorDesk::Waiting& each : setup_.desk->take()) answer(each);
}

/// What was handed out last is in the record: the driver gives an order that answers it, or asks for the next.
void RealCluster::confirm() {
  if (handed_out_) std::exchange(handed_out_, nullptr)({.done = true, .text = "done"});
}

/// Nobody knows whether what was handed out last was written down.
void RealCluster::refuse_unconfirmed() {
  const auto refuse = [](const OperatorDesk::Answer& answer) {
    if (answer) answer({.done = false, .text = "the drill ended before it was recorded"});
  };
  refuse(std::exchange(handed_out_, nullptr));
  for (const Outgoing& each : std::exchange(outbox_, {})) refuse(each.confirmed);
}

void RealCluster::answer(OperatorDesk::Waiting& waiting) {
  const OperatorRequest& request = waiting.request;
  if (const std::string problem = problem_of(request); !problem.empty())
    return waiting.answer({.done = false, .text = problem});
  if (request.verb == OperatorVerb::status)
    return waiting.answer({.done = true, .text = "", .rows = status_rows()});
  if (request.verb == OperatorVerb::hosts)
    return waiting.answer({.done = true, .text = "", .rows = host_rows()});
  const std::string reason = request.reason.empty() ? "" : ": " + request.reason;
  if (request.verb == OperatorVerb::answer) {
    const std::string found = request.host ? host_text(*request.host) : "no host";
    say_of_operator("answers that " + found + " is the culprit" + reason);
    return close(open_orders<Ask>().front(), Status::done,
                 Answered{request.host.value_or(HostId{}), request.host.has_value()},
                 std::move(waiting.answer));
  }
  constexpr std::array<std::string_view, 5> kWords = {"evicts", "readmits", "marks for maintenance",
                                                      "ends the drill", "undoes every injected fault"};
  const OperatorAction what = *action_of(request.verb);
  say_of_operator(std::string(kWords[static_cast<std::size_t>(what)]) +
                  (request.host ? " " + host_text(*request.host) : "") + reason);
  act(what, request.host.value_or(HostId{}), std::move(waiting.answer));
}

/// Now, and in the report. A reason is of one line (OperatorDesk).
void RealCluster::say_of_operator(const std::string& what) {
  platform_.say("an operator " + what);
  operator_actions_.push_back("at " + rounded_text(now() - kStart) + " an operator " + in_utf8(what));
  operators_.append(operator_actions_.back());
}

/// Why it makes no sense now; empty where it does.
std::string RealCluster::problem_of(const OperatorRequest& request) const {
  const bool of_host = request.verb == OperatorVerb::evict || request.verb == OperatorVerb::readmit ||
                       request.verb == OperatorVerb::maintenance;
  if (of_host && !request.host) return "name a host";
  if (request.host && request.host->value >= hosts_.size())
    return host_text(*request.host) + " does not exist; this drill has hosts 0 to " +
           std::to_string(hosts_.size() - 1);
  if (finished_) return "the drill is over";
  if (of_host) return problem_of_host(request.verb, *request.host);
  if (request.verb == OperatorVerb::answer) {
    if (open_orders<Ask>().empty()) return "nobody is asked now";
    if (request.host && hosts_[request.host->value].state != HostState::in_job)
      return host_text(*request.host) + " does not carry the job, so it is not the culprit";
  }
  if (request.verb == OperatorVerb::stop && ending_) return "the drill is ending already";
  if (request.verb == OperatorVerb::disarm && disarmed_) return "the drill is disarmed already";
  if (request.verb == OperatorVerb::disarm && setup_.plan.empty()) return "this drill injects no faults";
  return "";
}

std::string RealCluster::problem_of_host(OperatorVerb verb, HostId host) const {
  const HostState state = hosts_[host.value].state;
  const auto leaving = leaving_.find(host.value);
  const std::string who = host_text(host);
  if (state == HostState::retired) return who + " was retired and does not return";
  if (verb == OperatorVerb::readmit) {
    if (state == HostState::in_job) return who + " carries the job";
    return state == HostState::spare ? who + " is a spare host already" : "";
  }
  if (state == HostState::in_repair) return who + " is in repair already";
  if (state == HostState::returned) return who + " is repaired and not readmitted";
  const bool asked_before = leaving != leaving_.end() &&
                            (verb == OperatorVerb::maintenance || leaving->second == OperatorAction::evict);
  if (!asked_before) return "";
  return who + (leaving->second == OperatorAction::evict ? " is being evicted already"
                                                         : " is marked for maintenance already");
}

// --- actions -------------------------------------------------------------------------------------------------------------

void RealCluster::act(OperatorAction what, HostId host, OperatorDesk::Answer answer) {
  const bool scripted = !answer;
  const OperatorActed acted{.job = JobId{0}, .what = what, .host = host, .scripted = scripted};
  note_action(acted);
  push(acted, std::move(answer));
  if (what == OperatorAction::readmit) repair_by_hand(host);
  if (what == OperatorAction::disarm) disarm();
  if (what == OperatorAction::stop) end_if_down();
}

/// What stays of an action, live and when a record of it is read.
void RealCluster::note_action(const OperatorActed& acted) {
  if (acted.scripted) ++scripted_;
  const bool takes_out = acted.what == OperatorAction::evict || acted.what == OperatorAction::maintenance;
  if (takes_out) {  // no eviction follows where the host is out already
    const HostState state = hosts_[acted.host.value].state;
    if (state == HostState::in_job || state == HostState::spare) leaving_[acted.host.value] = acted.what;
  }
  if (acted.what == OperatorAction::readmit) hosts_[acted.host.value].repaired = last_;
  ending_ = ending_ || acted.what == OperatorAction::stop;
  disarmed_ = disarmed_ || acted.what == OperatorAction::disarm;
}

void RealCluster::on(const OperatorDue& due) {
  const ScriptedAction& action = world_->operators[due.action];
  act(action.what, action.host, nullptr);
}

/// Nothing is injected from now on, and what was injected is undone.
void RealCluster::disarm() {
  std::erase_if(timers_, [](const auto& each) { return std::holds_alternative<InjectionDue>(each.second); });
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) undo(i);
}

/// A rank that was killed is gone: its job recovers from that by its policies.
bool RealCluster::can_be_undone(std::uint64_t injection) const {
  const auto what = injection_of(world_->faults[setup_.plan[injection].kind.value]);
  const bool kills = what == InjectionKind::kill || what == InjectionKind::start_fails;
  return !kills && journal_.begun(injection) && !journal_.undone(injection);
}

bool RealCluster::is_open(std::uint64_t injection) const {
  return journal_.observed(injection) && !journal_.undone(injection);
}

/// With every rank gone, whatever was injected into one is over. What a restart cures elsewhere is cured now.
void RealCluster::end_rank_faults() {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    const FaultKind& kind = world_->faults[setup_.plan[i].kind.value];
    const auto what = injection_of(kind);
    if (!what || !is_open(i)) continue;
    if (is_of_rank(*what)) {
      if (!is_broken_by(i)) journal_.write({JournalStep::undone, i, now()});
    } else if (kind.remedy == Remedy::restart) {
      undo(i);
    }
  }
}

/// What the agent of the host does beyond the life of a rank.
std::vector<std::uint64_t> RealCluster::open_faults_of(HostId host) const {
  std::vector<std::uint64_t> open;
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    const auto what = injection_of(world_->faults[setup_.plan[i].kind.value]);
    const bool of_agent = what && !is_of_rank(*what) && *what != InjectionKind::host_lost;
    if (of_agent && strikes(i, host) && is_open(i)) open.push_back(i);
  }
  return open;
}

/// Its agent has ended, and waited for its watchdog. What its repair ends, or the end of a failure domain's fault, stays.
void RealCluster::note_undone(HostId host) {
  for (const std::uint64_t fault : open_faults_of(host)) {
    const bool ends_here = sits_in_host(setup_.plan[fault].component.kind) &&
                           (lasts(*world_, setup_.plan[fault]) < kForever || !is_broken_by(fault));
    if (ends_here) journal_.write({JournalStep::undone, fault, now()});
  }
}

/// The agent before this one was killed, and its watchdog undoes what it has left: this one says when that is done. The fault of a failure
/// domain is still there.
void RealCluster::ask_undone(HostId host) {
  if (!std::exchange(hosts_[host.value].was_lost, false)) return;
  for (const std::uint64_t fault : open_faults_of(host)) {
    if (sits_in_host(setup_.plan[fault].component.kind))
      undo(fault);
    else
      static_cast<void>(inject_on(host, fault));
  }
}

void RealCluster::undo(std::uint64_t fault) {
  if (!can_be_undone(fault)) return;
  for (const HostId host : hosts_struck_by(fault)) {
    if (!hosts_[host.value].link) continue;  // its ranks ended with its agent
    for (const std::uint64_t injection :
         {fault, injection_in_run(fault, run_)}) {  // agents know which they did
      hosts_[host.value].link->send(DriverUndo{injection});
      expect_answer(host, Debt::undo, injection);
    }
  }
  if (injection_of(world_->faults[setup_.plan[fault].kind.value]) == InjectionKind::host_lost)
    end_loss(fault);
}

void RealCluster::on(HostId host, const AgentUndone& message) {
  hosts_[host.value].unpaid.erase({Debt::undo, message.injection});
  const std::uint64_t fault = fault_of_injection(message.injection);
  if (fault >= setup_.plan.size() || journal_.undone(fault)) return;
  // A slow rank ended, and its host is as slow as before: its next rank is slow too.
  const auto what = injection_of(world_->faults[setup_.plan[fault].kind.value]);
  if (message.why.empty() && what && is_of_rank(*what) && is_broken_by(fault) && !disarmed_ &&
      left_of(fault) > Duration::zero())
    return;
  if (!message.why.empty())
    return platform_.say(host_text(host) + " cannot undo fault " + std::to_string(fault) + " (" +
                         world_->faults[setup_.plan[fault].kind.value].name + ") yet: " + message.why);
  // Agents also answer for the number that none of them was told to inject.
  const bool was_done =
      message.injection == fault ? journal_.observed(fault) : journal_.returned(message.injection);
  if (was_done) journal_.write({JournalStep::undone, fault, clock_.at(message.at_ns)});
}

/// An operator ended the run: it is over as soon as no rank runs and no order to stop them is open.
void RealCluster::end_if_down() {
  if (ending_ && ranks_ == RanksState::none && open_orders<Stop>().empty()) finish(Ending::stopped);
}

// --- how the drill stands ------------------------------------------------------------------------------------------------

/// Counts what the policies order, once for each order: live, and when a record of it is read. Then the journal may tell of
/// injections that were done after it.
void RealCluster::note_order(const Order& order) {
  if (const auto* evict = std::get_if<Evict>(&order.what)) leaving_.erase(evict->host.value);
  const auto* stop = std::get_if<Stop>(&order.what);
  if (stop == nullptr || stop->reason != StopReason::fault) return;
  ++incidents_;
  for (const JournalEntry& entry : journal_.entries()) {
    if (entry.step != JournalStep::observed || entry.at > last_) continue;
    if (!detected_injections_.insert(entry.injection).second) continue;
    ++detected_;
    detection_latencies_ += last_ - entry.at;
  }
}

void RealCluster::report_status(bool at_once) {
  if (!setup_.on_status || (!at_once && last_ < status_at_)) return;
  status_at_ = after(now(), kStatusEvery);
  setup_.on_status(status());
}

DrillStatus RealCluster::status() const {
  DrillStatus out;
  out.at = last_;
  out.job = ranks_ == RanksState::none       ? DrillStatus::Job::down
            : ranks_ == RanksState::starting ? DrillStatus::Job::starting
                                             : DrillStatus::Job::up;
  out.step = most_steps_;
  out.steps = world_->job.steps;
  out.starts = run_;
  out.agents_awaited = static_cast<std::uint32_t>(agents_awaited_);
  for (const Host& host : hosts_) {
    switch (host.state) {
      case HostState::in_job:
        ++out.hosts.in_job;
        break;
      case HostState::spare:
        ++out.hosts.spare;
        break;
      case HostState::in_repair:
        ++out.hosts.in_repair;
        break;
      case HostState::returned:
        ++out.hosts.returned;
        break;
      case HostState::retired:
        ++out.hosts.retired;
        break;
    }
    if (host.state == HostState::in_job || host.state == HostState::spare)
      out.heartbeat_lag = std::max(out.heartbeat_lag, last_ - host.heard);
  }
  for (const auto& [id, open] : open_) {
    const bool question = std::holds_alternative<Ask>(open.order.what);
    out.questions += question ? 1 : 0;
    out.open_orders += question || std::holds_alternative<Wake>(open.order.what) ? 0 : 1;
  }
  for (const JournalEntry& entry : journal_.entries())
    out.injected += entry.step == JournalStep::observed ? 1 : 0;
  out.incidents = incidents_;
  out.detected = detected_;
  if (detected_ > 0) out.detection_latency = detection_latencies_ / detected_;
  const Duration past = last_ - kStart;
  if (past > Duration::zero())
    out.ettr = to_seconds(std::min(most_steps_ * world_->job.step_time, past)) / to_seconds(past);
  return out;
}

std::vector<std::vector<std::string>> RealCluster::status_rows() const {
  const DrillStatus now = status();
  const auto number = [](std::integral auto value) { return std::to_string(value); };
  constexpr std::array<std::string_view, 3> kJobs = {"down", "starting", "up"};
  std::vector<std::vector<std::string>> rows = {
      {"drill", world_->name},
      {"time", rounded_text(now.at - kStart)},
      {"job", std::string(kJobs[static_cast<std::size_t>(now.job)])},
      {"step", number(now.step) + " of " + number(now.steps)},
      {"starts", number(now.starts)},
      {"hosts", number(now.hosts.in_job) + " in the job, " + number(now.hosts.spare) + " spare, " +
                    number(now.hosts.in_repair) + " in repair, " + number(now.hosts.returned) +
                    " repaired, " + number(now.hosts.retired) + " retired"},
      {"incidents", number(now.incidents)},
      {"open orders", number(now.open_orders)},
      {"injected faults",
       number(now.injected) + " of " + number(setup_.plan.size()) + (disarmed_ ? ", disarmed" : "")},
      {"heartbeat lag", rounded_text(now.heartbeat_lag)},
      {"ETTR so far", percent_text(now.ettr)}};
  if (now.detected > 0) rows.push_back({"detection latency", rounded_text(now.detection_latency)});
  if (now.questions > 0)
    rows.push_back({"question", "which host is the culprit? gauntlet ctl answer HOST, or --none"});
  if (ending_) rows.push_back({"ending", "an operator ends the drill"});
  return rows;
}

std::vector<std::vector<std::string>> RealCluster::host_rows() const {
  constexpr std::array<std::string_view, 5> kStates = {"in the job", "spare", "in repair", "repaired",
                                                       "retired"};
  std::vector<std::vector<std::string>> rows = {
      {"host", "state", "ranks", "agent", "heartbeat", "name", "address"}};
  const bool with_gpus =
      std::any_of(hosts_.begin(), hosts_.end(), [](const Host& host) { return !host.report.gpus.empty(); });
  if (with_gpus) rows.front().emplace_back("GPUs");
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const Host& host = hosts_[h];
    std::string state(kStates[static_cast<std::size_t>(host.state)]);
    if (const auto leaving = leaving_.find(h); leaving != leaving_.end())
      state += leaving->second == OperatorAction::evict ? ", leaving" : ", for maintenance";
    std::string ranks;
    if (host.state == HostState::in_job)
      for (const std::uint32_t rank : seats_.ranks_of(HostId{h}))
        ranks += (ranks.empty() ? "" : " ") + std::to_string(rank);
    rows.push_back({std::to_string(h), state, ranks.empty() ? "none" : ranks, host.link ? "attends" : "gone",
                    host.link ? rounded_text(last_ - host.heard) + " ago" : "none", host.identity.pod,
                    host.identity.address});
    if (with_gpus) rows.back().push_back(gpus_text(host.report.gpus));
  }
  return rows;
}

}  // namespace gauntlet
