// How a drill stands, for people: the terminal, `gauntlet ctl status` and the metrics.
#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

struct DrillStatus {
  Time at;  // on the drill's clock
  enum class Job : std::uint8_t { down, starting, up } job = Job::down;
  std::int64_t step = 0;   // the most steps that any run has completed
  std::int64_t steps = 0;  // of the job
  std::uint32_t starts = 0;
  struct Hosts {
    std::uint32_t in_job = 0, spare = 0, in_repair = 0, returned = 0, retired = 0;
  } hosts;
  std::uint32_t agents_awaited = 0;  // by a driver that begins
  std::uint32_t incidents = 0;       // stops that a detector caused
  std::uint32_t open_orders = 0;     // to the cluster and its hosts; timers are not among them
  std::uint32_t questions = 0;       // to a person, without an answer
  std::uint32_t injected = 0;        // faults that reached a rank
  Duration heartbeat_lag{};          // of the host that was silent for longest, among those in service
  double ettr = 0;             // so far: the time of those steps, undisturbed, over the time since the start
  std::uint32_t detected = 0;  // injected faults that a stop followed on
  Duration detection_latency{};  // mean time from such a fault to the order to stop the job
};

}  // namespace gauntlet
