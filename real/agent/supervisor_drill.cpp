// The drill that an agent serves: drivers that come, and the end of a drill, with the agent or before the next one.
#include "real/agent/supervisor.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr auto kShortestHeartbeatPeriod = std::chrono::milliseconds(1);

}  // namespace

void Supervisor::on(StreamId stream, const DriverHello& message) {
  if (leaving_) return streams_.end(stream, "the agent is ending");
  if (drill_ends_) return streams_.end(stream, "the agent is ending a drill");
  if (const std::string why = drill_.refusal_of(message, host_.value); !why.empty())
    return streams_.end(stream, why);
  if (attendance_)
    streams_.end(attendance_->stream, kDriverOfEpoch + std::to_string(message.epoch) + " took over");
  if (drill_.begins_with(message)) {
    end_ranks("");
    missed_.clear();
    missed_progress_ = missed_left_out_ = 0;
    last_start_.reset();
    starting_.reset();
    last_run_ = lapsed_run_ = 0;
    undo_all();
    start_fails_.clear();
    static_cast<void>(around_.faults.take_ends());  // nobody asks any more
    lease_ends_ = kStart;
    host_ = HostId{message.greeting.host.value_or(options_.host)};
    watches_ = Watches(host_);
  }
  pending_start_.reset();  // an earlier driver's: this one orders what it wants
  drill_.serve(message);
  abandoned_at_ = options_.stays ? after(now_, options_.abandoned_after) : kNever;  // until a lease comes
  probes_.clear();
  greeting_ = message.greeting;
  greeting_.expressions.resize(greeting_.patterns.size());
  patterns_ = LinePatterns(greeting_.expressions);
  watches_.reset(greeting_.patterns);
  attendance_ = {
      .stream = stream,
      .heartbeat_period = std::max<Duration>(message.greeting.heartbeat_period, kShortestHeartbeatPeriod),
      .heartbeats = 0,
      .next_heartbeat = now_,
      .next_report = now_};
  const bool has_ranks = !message.anew && !around_.ranks.none();
  tell(AgentAttending{.epoch = message.epoch,
                      .run = has_ranks ? around_.ranks.run() : 0,
                      .ranks = has_ranks ? around_.ranks.alive() : std::vector<std::uint32_t>(),
                      .identity = around_.identity,
                      .rank_uid = around_.rank_uid,
                      .clock = {.asked_ns = message.sent_ns, .at_ns = around_.clock.monotonic_ns()},
                      .lapsed_run = lapsed_run_});
  for (const AgentMessage& missed : std::exchange(missed_, {})) tell(missed);
  missed_progress_ = 0;
  if (missed_left_out_ > 0)
    around_.say(std::to_string(std::exchange(missed_left_out_, 0)) +
                " step and stall lines of ranks went unheard");
}

void Supervisor::on(StreamId, const DriverLease& message) {
  lease_ends_ = after(now_, message.lasts);
  abandoned_at_ = kNever;
  around_.faults.renew(message.lasts);
  tell(AgentClockReading{.asked_ns = message.sent_ns, .at_ns = around_.clock.monotonic_ns()});
}

void Supervisor::on(StreamId, const DriverQuit&) { leave_drill(kAgentEnded, ""); }

/// At once, with a start that waits for ranks to end.
void Supervisor::end_ranks(const std::string& why) {
  if (pending_start_) tell(AgentDone{.order = pending_start_->order.value, .ok = false, .why = why});
  pending_start_.reset();
  watches_.gone();
  stop_watching_ranks();
  around_.ranks.kill();
}

void Supervisor::leave(int exit_code, const std::string& why) {
  if (leaving_) return;
  if (!why.empty()) around_.say(why);
  leaving_ = exit_code;
  end_ranks("the agent is ending");
}

/// The drill is over here: the agent leaves with it, or waits for the next one.
void Supervisor::leave_drill(int exit_code, const std::string& why) {
  if (!options_.stays) return leave(exit_code, why.empty() ? "" : why + ": it ends");
  if (ending()) return;
  if (!why.empty()) around_.say(why + ": the drill ends here");
  drill_ends_ = true;
  abandoned_at_ = kNever;
  undo_all();
  end_ranks("the drill ends here");
}

/// With no rank left.
void Supervisor::forget_drill() {
  drill_ends_ = false;
  lease_ends_ = kStart;
  around_.ranks.forget();
  drill_.end();
  if (attendance_) streams_.end(attendance_->stream, "");
  attendance_.reset();
  watches_.reset({});
  around_.say("the drill is over, and the next one may begin");
}

}  // namespace gauntlet
