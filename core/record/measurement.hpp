// How long parts of a run took, where no observation and no outcome of an order says so.
//
// A drill writes them behind its recording; `gauntlet calibrate` reads them. Each is the time of the whole job: a phase of a start is
// complete when the last rank has completed it.
#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

enum class Measured : std::uint8_t {
  process_start,      // from the order to start until every process has begun
  communicator_init,  // from there until every rank is connected to its peers
  load,               // from there until every rank has its state
  data_loader,        // from there until training goes on
  step,               // between two complete steps, without the checkpoint between them, no fault acting
  stall,              // for which a checkpoint blocked training
  persist,            // from the end of the stall until the checkpoint is durable
};
inline constexpr std::uint8_t kMeasured = 7;

struct Measurement {
  Measured what = Measured::step;
  Time at;  // when it was over
  Duration took{};
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace gauntlet
