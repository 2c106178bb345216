// What tells of an exit and has not arrived yet: the host's next heartbeat, or a word of its own. The first to arrive has a timer.
#pragma once

#include "sim/engine/event.hpp"
#include "sim/telemetry/heartbeat_times.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gauntlet {

class ExitsUnderWay {
 public:
  /// Both must outlive them.
  ExitsUnderWay(const HeartbeatTimes& times, SimEngine& engine) : times_(&times), engine_(&engine) {}

  /// A rank of the host exits now: ExitReported comes.
  void add(HostId host) {
    const std::uint64_t number = times_->first_number_after(host, engine_->now());
    beats_.push_back({host, number, times_->sent(host, number), times_->exit_alone(engine_->now())});
    if (arrives_next(beats_.back())) set_timer();
  }
  void forget(HostId host) {
    std::erase_if(beats_, [&](const Beat& each) { return each.host == host; });
    if (next_at_ != kNever && next_host_ == host) follow_next();
  }
  void clear() {
    beats_.clear();
    follow_next();
  }
  /// Whether that is the event that the timer was set for.
  bool is_next(const ExitReported& event) const {
    return next_at_ == engine_->now() && next_host_ == event.host;
  }

 private:
  struct Beat {
    HostId host;
    std::uint64_t number;
    Time sent;
    Time alone;  // without it
  };

  /// Notes it where it arrives before the one that is noted; of two at once, the one that was added first is. When it arrives is drawn only where that can be.
  bool arrives_next(const Beat& beat) {
    if (std::min(beat.sent, beat.alone) > next_at_) return false;
    const Time at =
        beat.alone < beat.sent ? beat.alone : std::min(times_->arrival(beat.host, beat.number), beat.alone);
    if (at >= next_at_) return false;
    next_at_ = at;
    next_host_ = beat.host;
    return true;
  }
  void follow_next() {
    next_at_ = kNever;
    for (const Beat& each : beats_) arrives_next(each);
    set_timer();
  }
  void set_timer() { engine_->set(next_, next_at_, Priority::heartbeat, ExitReported{next_host_}); }

  const HeartbeatTimes* times_;
  SimEngine* engine_;
  std::vector<Beat> beats_;
  Timer next_;  // the first of them to arrive
  HostId next_host_{};
  Time next_at_ = kNever;
};

}  // namespace gauntlet
