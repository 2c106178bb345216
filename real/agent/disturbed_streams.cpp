#include "real/agent/disturbed_streams.hpp"

#include "real/rank/lines.hpp"

#include <optional>
#include <type_traits>
#include <variant>

namespace gauntlet {
namespace {

/// The same times by a clock that is ahead: those that a driver maps to its own (real/clocks/driver_times.cpp).
AgentMessage by_clock_ahead(AgentMessage message, Duration ahead) {
  std::visit(
      [&](auto& said) {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (std::is_same_v<Said, AgentAttending>) {
          said.clock.at_ns += ahead.count();
        } else if constexpr (std::is_same_v<Said, AgentSeen>) {
          said.observed.at += ahead;
          if (auto* seen = std::get_if<Seen>(&said.observed.what)) seen->sensed += ahead;
        } else if constexpr (std::is_same_v<Said, AgentRankLine>) {
          std::optional<RankLine> line = parse_rank_line(said.line);
          if (!line) return;
          line->at_ns += ahead.count();
          said.line = to_line(*line);
        } else if constexpr (requires { said.at_ns; }) {
          said.at_ns += ahead.count();
        }
      },
      message);
  return message;
}

}  // namespace

bool DisturbedStreams::send(StreamId stream, const AgentMessage& message) {
  const bool heartbeat = std::holds_alternative<AgentHeartbeat>(message);
  if (cut_by_ == 0 && !(heartbeat && held_by_ > 0)) return pass(stream, message);
  waiting_.emplace_back(stream, message);
  return true;
}

bool DisturbedStreams::pass(StreamId stream, const AgentMessage& message) {
  const AgentMessage said = step_ == Duration::zero() ? message : by_clock_ahead(message, step_);
  if (repeated_by_ > 0 && std::holds_alternative<AgentHeartbeat>(message)) streams_.send(stream, said);
  return streams_.send(stream, said);
}

void DisturbedStreams::hold_heartbeats(bool held) {
  held_by_ += held ? 1 : -1;
  let_go();
}

void DisturbedStreams::cut(bool is_cut) {
  cut_by_ += is_cut ? 1 : -1;
  let_go();
}

void DisturbedStreams::let_go() {
  for (const auto& [stream, message] : std::exchange(waiting_, {})) send(stream, message);
}

}  // namespace gauntlet
