// The times in agents' messages, by the driver's clock, and how exact that was over a drill.
#pragma once

#include "core/files/line_file.hpp"
#include "real/clocks/agent_clock.hpp"
#include "real/stream/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Of a drill so far, with that of earlier drivers.
struct ClockAccuracy {
  bool one_clock = false;    // driver and agents read the same clock: nothing is mapped
  Duration largest_error{};  // that a mapped time may have, but for jumps
  /// How often a clock was found to have jumped against the driver's. What an agent reported between the jump and the
  /// exchange that proved it is wrong by the jump.
  std::uint32_t jumps = 0;
};

/// The exchange that a message completes, if it does; without the time of its arrival.
std::optional<ClockExchange> exchange_of(const AgentMessage& message);

class DriverTimes {
 public:
  /// The file holds what earlier drivers of the drill found. Throws std::runtime_error.
  DriverTimes(const std::string& path, bool one_clock, Files& files = system_files());

  /// Replaces every time in the message by that of the driver's clock. None is later than the arrival. A Seen is never said to be sensed
  /// earlier than it was by more than `seen_early`: policies drop what is older than the ranks that run now. Throws std::runtime_error where the
  /// file cannot be written.
  void map(AgentMessage& message, const AgentClock& clock, std::int64_t arrived_ns,
           Duration seen_early = kForever);
  /// The clock of a host jumped. Throws as map() does.
  void note_jump();
  const ClockAccuracy& accuracy() const { return accuracy_; }

 private:
  std::int64_t mapped(std::int64_t agent_ns, const AgentClock& clock, std::int64_t arrived_ns,
                      Duration early = kForever);
  void write();

  LineFile file_;
  ClockAccuracy accuracy_;
  Duration written_{};
};

}  // namespace gauntlet
