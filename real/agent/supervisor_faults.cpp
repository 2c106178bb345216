// Faults that the driver injects into this host, and their ends.
#include "core/quantity.hpp"
#include "real/agent/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace gauntlet {
namespace {

constexpr Duration kComesToCollective =
    std::chrono::seconds(10);  // half of what a driver waits for its answer

}  // namespace

void Supervisor::on(StreamId, const DriverInject& message) {
  if (const auto before = injected_.find(message.injection); before != injected_.end())
    return tell_or_keep(before->second.answer);
  // Ranks that are about to start are killed when they have started.
  if (message.kind == InjectionKind::start_fails && pending_start_) {
    const bool waits = std::any_of(start_fails_.begin(), start_fails_.end(), [&](const DriverInject& each) {
      return each.injection == message.injection;
    });
    if (!waits) start_fails_.push_back(message);
    return;
  }
  const bool held = std::any_of(holds_.begin(), holds_.end(), [&](const auto& each) {
    return each.second.what.injection == message.injection;
  });
  if (!held) carry_out(message);
}

void Supervisor::carry_out(const DriverInject& message) {
  const std::int64_t began_ns = around_.clock.monotonic_ns();  // nothing of its effect is seen before
  std::string why = refusal_of(message);
  if (why.empty()) why = inject(message);
  if (why.empty() && message.kind == InjectionKind::hold && hold(message)) return;
  conclude(message, began_ns, why);
}

/// What became of it is known.
void Supervisor::conclude(const DriverInject& message, std::int64_t began_ns, const std::string& why) {
  const AgentInjected answer = {
      .injection = message.injection, .ok = why.empty(), .at_ns = began_ns, .why = why};
  if (!answer.ok) around_.say("a fault is not injected: " + answer.why);
  const bool by_agent = traits_of(message.kind).carrier == InjectionCarrier::report && !by_watchdog(message);
  injected_.emplace(message.injection, Injection{.what = message,
                                                 .answer = answer,
                                                 .over = !answer.ok,
                                                 .ends = by_agent ? after(now_, message.lasts) : kNever});
  tell_or_keep(answer);  // it is the truth of the drill, whoever attends next
  if (answer.ok) disturb(message, true);
  if (!answer.ok || message.kind != InjectionKind::host_lost) return;
  host_lost_ = true;
  leave(kAgentEnded, "an injected fault takes this host away");
}

/// The rank that is kept from a collective. The others then wait for it.
std::optional<std::uint32_t> Supervisor::held_by(const DriverInject& what) const {
  const std::vector<std::uint32_t> ranks = targets_of(what);
  return ranks.empty() ? std::nullopt : std::optional(ranks.front());
}

/// False where nothing is left to wait for: the rank does not speak to us, and is stopped with its neighbours.
bool Supervisor::hold(const DriverInject& message) {
  const std::uint32_t rank = held_by(message).value();
  if (around_.ranks.hold(rank, true)) {
    holds_.insert_or_assign(rank, Hold{.what = message, .late = after(now_, kComesToCollective)});
    return true;
  }
  around_.say("rank " + std::to_string(rank) +
              " does not speak through gauntlet_rank: it is stopped, and not held before a collective");
  static_cast<void>(signal_targets(message, AgentSignal::stop));
  return false;
}

/// The rank is held, or never will be.
void Supervisor::end_hold(std::uint32_t rank, const std::string& why) {
  const auto found = holds_.find(rank);
  if (found == holds_.end()) return;
  const DriverInject what = found->second.what;
  holds_.erase(found);
  if (!why.empty()) static_cast<void>(around_.ranks.hold(rank, false));
  conclude(what, around_.clock.monotonic_ns(), why);
}

/// What whoever started this agent allows.
std::string Supervisor::refusal_of(const DriverInject& message) const {
  if (!options_.allow_injection) return "this agent injects no faults; start it with --allow-injection";
  const std::vector<std::string>& kinds = options_.injection_kinds;
  const std::string kind(traits_of(message.kind).name);
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    return "this agent does not inject " + kind + "; --injection-kind allows it";
  if (!is_over_at_once(message.kind) && message.lasts > options_.longest_injection)
    return "this agent injects nothing that lasts longer than " + to_text(options_.longest_injection) +
           " (--longest-injection)";
  return "";
}

/// The ranks that it concerns.
std::vector<std::uint32_t> Supervisor::targets_of(const DriverInject& what) const {
  std::vector<std::uint32_t> ranks = around_.ranks.alive();
  if (what.target != kEveryTarget && is_of_rank(what.kind)) {
    const bool here = std::find(ranks.begin(), ranks.end(), what.target) != ranks.end();
    ranks.assign(here ? 1 : 0, what.target);
  }
  return ranks;
}

/// Why it reached none of them, or nothing. One process may carry several of them, which end together.
std::string Supervisor::signal_targets(const DriverInject& what, AgentSignal signal) {
  std::string why;
  bool reached = false;
  for (const std::uint32_t rank : targets_of(what)) {
    const std::string failed = around_.ranks.signal(rank, signal);
    reached = reached || failed.empty();
    if (!failed.empty()) why = failed;
  }
  return reached ? "" : why;
}

InjectionSubject Supervisor::subject_of(const DriverInject& what) {
  InjectionSubject subject;
  if (is_of_rank(what.kind)) {
    for (const std::uint32_t rank : targets_of(what))
      for (const pid_t each : around_.ranks.processes_of(rank)) subject.processes.push_back(each);
  }
  if (what.kind != InjectionKind::rate || !trains_ || now_ <= trains_since_) return subject;
  for (const NicCounters& now : around_.host.report().nics) {
    const auto before = std::find_if(sent_before_.begin(), sent_before_.end(),
                                     [&](const NicCounters& each) { return each.name == now.name; });
    if (before != sent_before_.end() && now.sent_bytes >= before->sent_bytes)
      subject.bytes_per_second[now.name] =
          static_cast<double>(now.sent_bytes - before->sent_bytes) / to_seconds(now_ - trains_since_);
  }
  return subject;
}

/// Why the reader of log lines would not find it, or nothing.
std::string Supervisor::problem_of_line(const InjectedLine& line) {
  const std::uint32_t pattern = line.pattern.value;
  if (pattern >= greeting_.patterns.size()) return "its log line is of no kind that the driver named";
  const std::vector<std::uint32_t> found = patterns_.match(LinePatterns::kInjected, line.text, now_);
  const bool matches = std::find(found.begin(), found.end(), pattern) != found.end();
  if (matches || greeting_.expressions[pattern].empty()) return "";
  return "\"" + line.text + "\" is not found by drill.lines." + greeting_.patterns[pattern];
}

/// The reader of log lines gets it.
void Supervisor::write_line(const InjectedLine& line) {
  const std::string& pattern = greeting_.patterns[line.pattern.value];
  around_.say("an injected line of " + pattern + ": " + line.text);
  watches_.on_log(pattern, now_);
}

/// Why not, or nothing.
std::string Supervisor::inject(const DriverInject& message) {
  if (is_of_rank(message.kind) && targets_of(message).empty())
    return message.target == kEveryTarget ? "no rank runs here"
                                          : "rank " + std::to_string(message.target) + " does not run here";
  if (message.kind == InjectionKind::host_lost && options_.stays)
    return "this agent serves other drills too, and does not end with its host";
  std::string why = message.line ? problem_of_line(*message.line) : "";
  if (why.empty() && by_watchdog(message))
    why = around_.faults.inject(message, subject_of(message), lease_ends_ - now_);
  if (!why.empty()) return why;
  const bool made = has_cause(message.kind) && by_watchdog(message);
  // A rank whose disk fails says so itself. The kernel would say of memory that it ran out, and nobody here reads its log.
  if (message.line && (!made || message.kind == InjectionKind::memory)) write_line(*message.line);
  if (made) return "";
  switch (message.kind) {
    case InjectionKind::kill:
    case InjectionKind::start_fails:
    case InjectionKind::disk_full:
    case InjectionKind::disk_failing:
    case InjectionKind::memory:
      return signal_targets(message, AgentSignal::kill);
    case InjectionKind::link_lost:
      static_cast<void>(signal_targets(message, AgentSignal::kill));  // where ranks run
      return "";
    case InjectionKind::stop:
      return signal_targets(message, AgentSignal::stop);
    case InjectionKind::slow:
    case InjectionKind::link_down:
    case InjectionKind::pause:
    case InjectionKind::rate:
    case InjectionKind::packet_loss:
    case InjectionKind::host_lost:
    case InjectionKind::line:
    case InjectionKind::loss:
    case InjectionKind::damage:
    case InjectionKind::clock_step:
    case InjectionKind::late_heartbeats:
    case InjectionKind::repeated_heartbeats:
    case InjectionKind::partition:
    case InjectionKind::hold:
      break;
  }
  return "";
}

/// The host of a lab has an interface to its driver that can be set down, a disk that can fail, memory that can run out.
bool Supervisor::by_watchdog(const DriverInject& what) const {
  if (has_cause(what.kind)) return options_.causes.contains(what.kind);
  return is_by_watchdog(what.kind) ||
         (what.kind == InjectionKind::partition && !options_.lab_management.empty());
}

/// What the agent says, once it has said that the fault is there. A clock that has stepped stays so.
void Supervisor::disturb(const DriverInject& what, bool begins) {
  if (what.kind == InjectionKind::clock_step && begins) streams_.step_clock(kClockStep);
  if (what.kind == InjectionKind::late_heartbeats) streams_.hold_heartbeats(begins);
  if (what.kind == InjectionKind::repeated_heartbeats) streams_.repeat_heartbeats(begins);
  if (what.kind == InjectionKind::partition && !by_watchdog(what)) streams_.cut(begins);
}

/// What came while nothing passed.
void Supervisor::hear_late() {
  while (!streams_.is_cut() && !unheard_.empty()) {
    const FromStream next = std::move(unheard_.front());
    unheard_.pop_front();
    hear_stream(next);
  }
}

/// What faults add to the level of the loss.
double Supervisor::higher_loss() const {
  double sum = 0;
  for (const auto& [number, each] : injected_)
    if (each.what.kind == InjectionKind::loss && !each.over) sum += each.what.value;
  return sum;
}

/// Of what the watchdog does, hear_undone() tells the end.
void Supervisor::undo(const DriverInject& what) {
  disturb(what, false);
  if (what.kind == InjectionKind::hold) {
    if (const auto rank = held_by(what)) static_cast<void>(around_.ranks.hold(*rank, false));
  }
  if (what.kind == InjectionKind::stop || what.kind == InjectionKind::hold)
    static_cast<void>(signal_targets(what, AgentSignal::go_on));
  if (by_watchdog(what)) around_.faults.undo(what.injection);
}

void Supervisor::on(StreamId, const DriverUndo& message) {
  const auto waiting = std::find_if(holds_.begin(), holds_.end(), [&](const auto& each) {
    return each.second.what.injection == message.injection;
  });
  if (waiting != holds_.end()) end_hold(waiting->first, "it was undone before its rank came to a collective");
  const auto found = injected_.find(message.injection);
  // One of an agent that was here before: its watchdog, or that of this agent, undoes it.
  if (found == injected_.end()) return around_.faults.undo(message.injection);
  if (!found->second.over) {
    undo(found->second.what);
    if (by_watchdog(found->second.what)) return;
    found->second.over = true;
  }
  tell_or_keep(AgentUndone{.injection = message.injection, .at_ns = around_.clock.monotonic_ns(), .why = {}});
}

/// At the end of a drill, or before another one.
void Supervisor::undo_all() {
  for (const auto& [number, each] : injected_)
    if (!each.over) undo(each.what);
  injected_.clear();
  holds_.clear();
}

/// The end of a pause lets a rank go on that another fault has stopped.
void Supervisor::stop_again() {
  for (const auto& [number, each] : injected_)
    if (each.what.kind == InjectionKind::stop && !each.over)
      static_cast<void>(signal_targets(each.what, AgentSignal::stop));
}

/// What was done to ranks is over without them.
void Supervisor::undo_of_ranks() {
  while (!holds_.empty()) end_hold(holds_.begin()->first, "its rank ended before it came to a collective");
  for (auto& [number, each] : injected_) {
    if (!is_of_rank(each.what.kind) || each.over) continue;
    each.over = true;
    if (by_watchdog(each.what)) undo(each.what);
  }
}

void Supervisor::hear_undone() {
  for (auto each = holds_.begin(); each != holds_.end();) {
    const auto next = std::next(each);
    if (now_ >= each->second.late)
      end_hold(each->first, "rank " + std::to_string(each->first) + " came to no collective within " +
                                to_text(kComesToCollective));
    each = next;
  }
  const auto tell_end = [this](std::uint64_t injection, const std::string& why) {
    tell_or_keep(AgentUndone{.injection = injection, .at_ns = now_.time_since_epoch().count(), .why = why});
  };
  for (const FaultEnd& end : around_.faults.take_ends()) {
    if (const auto found = injected_.find(end.injection); found != injected_.end() && end.why.empty()) {
      found->second.over = true;
      if (found->second.what.kind == InjectionKind::pause) stop_again();
    }
    tell_end(end.injection, end.why);
  }
  for (auto& [number, each] : injected_) {
    if (each.over || now_ < each.ends) continue;
    each.over = true;
    undo(each.what);
    tell_end(number, "");
  }
  for (const std::string& each : around_.faults.take_remarks()) {
    around_.say(each);
    tell_or_keep(AgentRemark{each});
  }
  hear_late();
}

}  // namespace gauntlet
