// The dump of PyTorch's flight recorder: the collectives that a rank's process groups have scheduled, and which of them are complete.
//
// NCCL's watchdog writes it when a collective timed out, before it ends the process (PyTorch 2.5 and later). It is a pickle of plain
// data, and is read as such (pickle.hpp). The keys are those of version 2 (torch/csrc/distributed/c10d/FlightRecorder.hpp).
#pragma once

#include "real/runner/marks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

struct FlightRecord {
  /// The first collective that is not complete, as entered: those behind it wait for it. Else the last one, as left.
  std::optional<RankMark> last{};
  std::string why{};  // the bytes are not such a dump; empty: they are
};

/// `ahead_ns`: how far the time of day, which the dump has, is ahead of CLOCK_MONOTONIC.
FlightRecord parse_flight_record(std::string_view bytes, std::int64_t ahead_ns);

/// Of that file; nothing where there is none.
FlightRecord read_flight_record(const std::string& path);

}  // namespace gauntlet
