// The truth log: what really went wrong. Policies never see it; score/ alone holds it against their orders.
#pragma once

#include "core/id.hpp"
#include "core/record/record.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

enum class TruthKind : std::uint8_t {
  onset,      // the fault strikes
  met,        // a fault that struck a host while it stood by meets the job at its next start
  returned,   // a fault that was not removed strikes again when the job is started on it
  escalated,  // a fault that would have healed has become a stop (a pause longer than the collective timeout)
  ended,      // healed, or removed by a restart or by repair
  grew,       // a slow one became slower: `factor` from here on
};

struct Truth {
  Time at;
  TruthKind what = TruthKind::onset;
  FaultKindId kind;
  ComponentId component;    // the culprit
  HostId host;              // that it belongs to; of a failure domain, the first
  std::uint32_t hosts = 1;  // how many it concerns, from `host` on
  bool on_job = false;      // the host carried the job at that time
  bool stops = false;       // it stops a job that meets it
  bool disturbs = false;    // it has any effect on a job at all
  bool corrupts = false;
  bool repairable = false;  // only the repair of the host removes it
  double factor = 1;        // how many times as long a step takes with it alone; infinite for a pause
  // How many orders had been given by then. Of what has one time, this says what came first: what a stop met, and what a
  // start ended or met.
  std::size_t orders = 0;
};

inline bool concerns(const Truth& truth, HostId host) {
  return host.value >= truth.host.value && host.value - truth.host.value < truth.hosts;
}

/// An interruption of the job: a stopping fault that meets it for the first time. One that returns was counted before.
inline bool interrupts(const Truth& truth) {
  const bool first_meeting = truth.what == TruthKind::onset || truth.what == TruthKind::met;
  return truth.on_job && ((first_meeting && truth.stops) || truth.what == TruthKind::escalated);
}

using TruthLog = std::vector<Truth>;

/// Fills `orders` where only times are known: what has the time of an order came before it. Both are in order of time.
inline void place_by_time(TruthLog& log, const Record& record) {
  std::size_t given = 0;
  for (Truth& each : log) {
    while (given < record.orders.size() && record.orders[given].at < each.at) ++given;
    each.orders = given;
  }
}

}  // namespace gauntlet
