// The clock of one agent, mapped to the driver's clock with a bound on the error.
//
// An exchange: the driver notes its time, asks, the agent reads its clock, and the driver notes when the answer arrives. The
// agent's reading lies between these two times, whatever the delays of the two messages are (Cristian, Distributed
// Computing 3, 1989). So one exchange bounds the offset, the agent's clock less the driver's, by an interval as wide as the
// round trip. Several exchanges bound it by the intersection of their intervals (Marzullo and Owicki, ACM Operating
// Systems Review 19, 1985), each widened by what the clocks can drift apart between the exchange and the time in question.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace gauntlet {

/// In nanoseconds on both clocks.
struct ClockExchange {
  std::int64_t asked_ns = 0;     // by the driver's clock
  std::int64_t read_ns = 0;      // by the agent's
  std::int64_t answered_ns = 0;  // by the driver's
};

/// Bounds of an offset: the agent's clock less the driver's.
struct ClockOffset {
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
  friend bool operator==(const ClockOffset&, const ClockOffset&) = default;
};

/// A time on the driver's clock, at most `error` away from the true one.
struct DriverTime {
  std::int64_t at_ns = 0;
  Duration error{};
};

/// What is known of an agent's clock. The times are by that clock.
struct HostClock {
  std::int64_t since_ns = 0;  // the earliest exchange that counts
  std::int64_t read_ns = 0;   // the last one
  ClockOffset offset{};       // at the last one
};

/// Not thread-safe.
class AgentClock {
 public:
  /// Two clocks gain or lose at most 1 ns on each other in so many. 500 ppm is the largest correction of frequency that the
  /// kernel's clock discipline applies (RFC 5905, section 11.3, and MAXFREQ of Linux's timex). The 15 ppm of RFC 5905 (PHI)
  /// hold for a clock whose discipline has settled, which a drill cannot know of its hosts.
  static constexpr std::int64_t kDriftsOneIn = 2000;
  /// The exchanges that count, as many as the clock filter of RFC 5905 keeps (section 10): the last ones, and the two that give the lower
  /// and the upper bound. All clocks drift at one rate here, so that what gives no bound now gives none later. The last ones alone
  /// would forget the quick ones: after a driver was stopped, it hears many answers that took as long as the stop.
  static constexpr std::size_t kExchanges = 8;

  /// Exchanges are added in the order of `read_ns`. One that is impossible (answered before it was asked) is ignored. One that
  /// contradicts the earlier ones proves that a clock jumped, as it does when a host is suspended: the earlier ones are
  /// forgotten. False in that case.
  bool add(const ClockExchange& exchange);

  /// Where the agent's clock shows `agent_ns`; nothing before the first exchange.
  std::optional<ClockOffset> offset(std::int64_t agent_ns) const;
  /// The middle of the bounds; nothing before the first exchange.
  std::optional<DriverTime> to_driver(std::int64_t agent_ns) const;
  /// What the exchanges that count say at the last of them; nothing before the first.
  std::optional<HostClock> known() const;

 private:
  struct Bound {
    std::int64_t read_ns;
    ClockOffset offset;
  };
  /// The oldest that gives neither bound at that time.
  void forget_one(std::int64_t now);

  std::deque<Bound> bounds_;
};

}  // namespace gauntlet
