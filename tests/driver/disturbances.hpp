// How rough one run is: what may go wrong beside the faults of the plan, drawn from its seed. Each run has some of it and
// lacks the rest ("swarm testing": Groce et al., ISSTA 2012), so that no kind of trouble hides another.
#pragma once

#include "core/random/stream.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace gauntlet {

/// One stream with what the simulation draws of it.
class Dice {
 public:
  Dice(std::uint64_t seed, const char* name) : stream_({.study = seed, .replica = 0}, stream_name(name)) {}
  bool chance(double probability) { return probability > 0 && stream_.uniform() < probability; }
  std::uint64_t below(std::uint64_t n) { return stream_.below(n); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(stream_.below(high - low + 1));
  }
  Duration between(Duration low, Duration high) {
    return low + Duration(static_cast<std::int64_t>(
                     stream_.below(static_cast<std::uint64_t>((high - low).count()) + 1)));
  }
  /// Mostly near `low`, seldom near `high`: each factor of two is as likely as the next.
  Duration skewed(Duration low, Duration high) {
    std::uint32_t doublings = 0;
    while (doublings < 40 && low * (std::int64_t{1} << (doublings + 1)) <= high) ++doublings;
    const Duration base = low * (std::int64_t{1} << below(doublings + 1));
    return std::min(between(base, 2 * base), high);
  }

 private:
  Stream stream_;
};

struct Disturbances {
  // Messages.
  Duration longest_delay = std::chrono::milliseconds(2);
  double loses_the_rest = 0;  // of a stream that breaks: what was under way on it
  double breaks = 0;          // events a minute: a stream breaks while both ends live
  double partitions = 0;      // a host cannot be reached for a while, and nobody is told
  // Agents.
  double agent_crashes = 0;
  double agent_hangs = 0;     // SIGSTOP
  double suspends = 0;        // of a host: its clock stands still
  double slow_to_listen = 0;  // chances, of a start
  double ends_at_start = 0;
  double cannot_start = 0;
  double dies_late = 0;  // of a SIGKILL: the kernel holds it
  // Ranks, beside the plan.
  double rank_crashes = 0;
  double rank_hangs = 0;
  double ranks_cannot_start = 0;
  double checkpoint_damaged = 0;
  // Probes.
  double probe_accuses = 0;
  double probe_hangs = 0;
  // Drivers.
  std::uint32_t driver_deaths = 0;  // at most
  double driver_pauses = 0;
  // Operators.
  double operator_acts = 0;     // requests a minute, of any kind
  double operator_stops = 0;    // chance that a driver is told to stop, rather than killed
  std::uint32_t takeovers = 0;  // by a driver with a copy of the recording, while the first one is stopped
  std::uint32_t rivals = 0;     // the same command, started while its driver lives
};

inline Disturbances disturbances_of(std::uint64_t seed) {
  using namespace std::chrono_literals;
  Dice dice(seed, "disturbances");
  const auto rate = [&](double high) {
    return dice.chance(0.4) ? high * to_seconds(dice.skewed(10ms, 1s)) : 0.0;
  };
  const auto some = [&](double high) { return dice.chance(0.4) ? high : 0.0; };
  Disturbances out;
  out.longest_delay = dice.chance(0.5) ? Duration(2ms) : dice.skewed(2ms, 4s);
  out.loses_the_rest = dice.chance(0.5) ? 0.5 : 0;
  const double roughness = dice.chance(0.15) ? 0 : 1;  // some runs meet the plan alone
  out.breaks = roughness * rate(8);
  out.partitions = roughness * rate(3);
  out.agent_crashes = roughness * rate(4);
  out.agent_hangs = roughness * rate(2);
  out.slow_to_listen = roughness * some(0.15);
  out.ends_at_start = roughness * some(0.15);
  out.cannot_start = roughness * some(0.1);
  out.dies_late = roughness * some(0.3);
  out.rank_crashes = roughness * rate(3);
  out.rank_hangs = roughness * rate(2);
  out.ranks_cannot_start = roughness * some(0.1);
  out.checkpoint_damaged = roughness * some(0.2);
  out.probe_accuses = roughness * some(0.1);
  out.probe_hangs = roughness * some(0.05);
  out.driver_deaths = dice.chance(0.7) ? dice.between(1, 4) : 0;
  out.driver_pauses = roughness * rate(2);
  out.operator_stops = some(0.3);
  // Where nothing is lost, the first driver hears of it.
  out.takeovers = out.loses_the_rest == 0 && dice.chance(0.15) ? 1 : 0;
  out.rivals = dice.chance(0.1) ? 1 : 0;
  out.suspends = roughness * rate(2);
  out.operator_acts = dice.chance(0.4) ? 4 * to_seconds(dice.skewed(100ms, 1s)) : 0;
  return out;
}

}  // namespace gauntlet
