// The streams of an agent whose link or clock an injected fault disturbs: what it says is said later, twice, or by a clock that has stepped.
#pragma once

#include "core/time.hpp"
#include "real/stream/server.hpp"

#include <chrono>
#include <deque>
#include <utility>

namespace gauntlet {

/// The largest step that ntpd takes by itself, its panic threshold (ntp.conf(5), tinker panic). Forward: what is said before the driver reads
/// the clock again would lie in the future, which a driver does not believe.
inline constexpr Duration kClockStep = std::chrono::seconds(1000);

class DisturbedStreams final : public AgentStreams {
 public:
  /// `streams` must outlive it.
  explicit DisturbedStreams(AgentStreams& streams) : streams_(streams) {}

  bool send(StreamId stream, const AgentMessage& message) override;
  void end(StreamId stream, const std::string& why) override { streams_.end(stream, why); }

  /// The clock of all that is said from now on.
  void step_clock(Duration by) { step_ += by; }
  /// Heartbeats wait, or arrive twice. Calls nest; what waited leaves with the last `false`.
  void hold_heartbeats(bool held);
  void repeat_heartbeats(bool repeated) { repeated_by_ += repeated ? 1 : -1; }
  /// Nothing leaves. Calls nest likewise.
  void cut(bool is_cut);
  bool is_cut() const { return cut_by_ > 0; }

 private:
  bool pass(StreamId stream, const AgentMessage& message);
  void let_go();

  AgentStreams& streams_;
  Duration step_{};
  int held_by_ = 0, repeated_by_ = 0, cut_by_ = 0;  // faults
  std::deque<std::pair<StreamId, AgentMessage>> waiting_;
};

}  // namespace gauntlet
