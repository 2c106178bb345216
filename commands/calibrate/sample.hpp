// Measured durations of one key of a scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// How the scenario states the duration.
enum class KeyForm : std::uint8_t { distribution, duration };

/// With what the duration may grow.
enum class Grows : std::uint8_t { with_nothing, with_hosts, with_bytes };

struct MeasuredDuration {
  double seconds = 0;
  double size = 0;        // hosts of the job, or bytes of a checkpoint; 0 where it grows with nothing
  std::uint32_t run = 0;  // that it was measured in: what was measured in one run is alike
};

struct KeySample {
  std::string key;  // "job.start.process_start"
  KeyForm form = KeyForm::duration;
  Grows grows = Grows::with_nothing;
  std::vector<MeasuredDuration> values = {};
  std::string remark = {};  // for the file, such as verdicts of a probe
};

}  // namespace gauntlet
