// Faults that the driver injects into this host, and their ends.
#include "core/quantity.hpp"
#include "real/agent/supervisor.hpp"

#include <algorithm>

namespace gauntlet {

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
  carry_out(message);
}

void Supervisor::carry_out(const DriverInject& message) {
  AgentInjected answer = {.injection = message.injection, .at_ns = around_.clock.monotonic_ns(), .why = {}};
  answer.why = refusal_of(message);
  if (answer.why.empty()) answer.why = inject(message);
  answer.ok = answer.why.empty();
  if (!answer.ok) around_.say("a fault is not injected: " + answer.why);
  const bool by_agent = traits_of(message.kind).carrier == InjectionCarrier::report;
  injected_.emplace(message.injection, Injection{.what = message,
                                                 .answer = answer,
                                                 .over = !answer.ok,
                                                 .ends = by_agent ? after(now_, message.lasts) : kNever});
  tell_or_keep(answer);  // it is the truth of the drill, whoever attends next
  if (!answer.ok || message.kind != InjectionKind::host_lost) return;
  host_lost_ = true;
  leave(kAgentEnded, "an injected fault takes this host away");
}

/// What whoever started this agent allows.
std::string Supervisor::refusal_of(const DriverInject& message) const {
  if (!options_.allow_injection) return "this agent injects no faults; start it with --allow-injection";
  const std::vector<std::string>& kinds = options_.injection_kinds;
  const std::string kind(traits_of(message.kind).name);
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    return "this agent does not inject " + kind + "; --injection-kind allows it";
  if (message.lasts > options_.longest_injection)
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
  const bool made = options_.causes.contains(message.kind);
  if (why.empty() && is_by_watchdog(message.kind) && (made || !has_cause(message.kind)))
    why = around_.faults.inject(message, subject_of(message), lease_ends_ - now_);
  if (!why.empty()) return why;
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
    case InjectionKind::host_lost:
    case InjectionKind::line:
    case InjectionKind::loss:
    case InjectionKind::damage:
      break;
  }
  return "";
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
  if (what.kind == InjectionKind::stop) static_cast<void>(signal_targets(what, AgentSignal::go_on));
  if (is_by_watchdog(what.kind)) around_.faults.undo(what.injection);
}

void Supervisor::on(StreamId, const DriverUndo& message) {
  const auto found = injected_.find(message.injection);
  // One of an agent that was here before: its watchdog, or that of this agent, undoes it.
  if (found == injected_.end()) return around_.faults.undo(message.injection);
  if (!found->second.over) {
    undo(found->second.what);
    if (is_by_watchdog(found->second.what.kind)) return;
    found->second.over = true;
  }
  tell_or_keep(AgentUndone{.injection = message.injection, .at_ns = around_.clock.monotonic_ns(), .why = {}});
}

/// At the end of a drill, or before another one.
void Supervisor::undo_all() {
  for (const auto& [number, each] : injected_)
    if (!each.over) undo(each.what);
  injected_.clear();
}

/// What was done to ranks is over without them.
void Supervisor::undo_of_ranks() {
  for (auto& [number, each] : injected_) {
    if (!is_of_rank(each.what.kind) || each.over) continue;
    each.over = true;
    if (is_by_watchdog(each.what.kind)) undo(each.what);
  }
}

void Supervisor::hear_undone() {
  const auto tell_end = [this](std::uint64_t injection, const std::string& why) {
    tell_or_keep(AgentUndone{.injection = injection, .at_ns = now_.time_since_epoch().count(), .why = why});
  };
  for (const FaultEnd& end : around_.faults.take_ends()) {
    if (const auto found = injected_.find(end.injection); found != injected_.end() && end.why.empty())
      found->second.over = true;
    tell_end(end.injection, end.why);
  }
  for (auto& [number, each] : injected_) {
    if (each.over || now_ < each.ends) continue;
    each.over = true;
    tell_end(number, "");
  }
}

}  // namespace gauntlet
