// Faults that the driver injects into this host, and their ends.
#include "real/agent/supervisor.hpp"

namespace gauntlet {

void Supervisor::on(StreamId, const DriverInject& message) {
  if (const auto before = injected_.find(message.injection); before != injected_.end())
    return tell_or_keep(before->second.answer);
  AgentInjected answer = {.injection = message.injection, .at_ns = around_.clock.monotonic_ns(), .why = {}};
  if (options_.allow_injection) {
    answer.why = inject(message);
  } else {
    answer.why = "this agent injects no faults; start it with --allow-injection";
  }
  answer.ok = answer.why.empty();
  if (!answer.ok) around_.say("a fault is not injected: " + answer.why);
  injected_.emplace(message.injection, Injection{message, answer, !answer.ok});
  tell_or_keep(answer);  // it is the truth of the drill, whoever attends next
}

/// Why not, or nothing.
std::string Supervisor::inject(const DriverInject& message) {
  if (message.kind == InjectionKind::kill) return around_.ranks.signal(message.target, AgentSignal::kill);
  if (message.kind == InjectionKind::stop) return around_.ranks.signal(message.target, AgentSignal::stop);
  std::vector<pid_t> processes;
  if (is_of_rank(message.kind)) {
    processes = around_.ranks.processes_of(message.target);
    if (processes.empty()) return "rank " + std::to_string(message.target) + " does not run here";
  }
  return around_.faults.inject(message, processes, lease_ends_ - now_);
}

/// Of faults that are no signals, hear_undone() tells the end.
void Supervisor::undo(const DriverInject& what) {
  if (what.kind == InjectionKind::stop)
    static_cast<void>(around_.ranks.signal(what.target, AgentSignal::go_on));
  if (!is_signal(what.kind)) around_.faults.undo(what.injection);
}

void Supervisor::on(StreamId, const DriverUndo& message) {
  const auto found = injected_.find(message.injection);
  // One of an agent that was here before: its watchdog, or that of this agent, undoes it.
  if (found == injected_.end()) return around_.faults.undo(message.injection);
  if (!found->second.over) {
    undo(found->second.what);
    if (!is_signal(found->second.what.kind)) return;
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
    if (!is_signal(each.what.kind)) undo(each.what);
  }
}

void Supervisor::hear_undone() {
  for (const FaultEnd& end : around_.faults.take_ends()) {
    if (const auto found = injected_.find(end.injection); found != injected_.end() && end.why.empty())
      found->second.over = true;
    tell_or_keep(
        AgentUndone{.injection = end.injection, .at_ns = now_.time_since_epoch().count(), .why = end.why});
  }
}

}  // namespace gauntlet
