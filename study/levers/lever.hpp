// One improvement of a scenario, as data.
#pragma once

#include "study/point.hpp"

#include <string>

namespace gauntlet {

/// One improvement: half of a duration or a rate, twice a bandwidth or a mean time between failures, one more of what is
/// counted. Of a checkpoint interval, of which less is not always better, there are two: half and twice.
struct Lever {
  std::string path;    // what it improves: "job.start.warm_up", "faults.disk", "spares.count"
  std::string change;  // "108s to 54s", "half as often", "6 to 7"
  Settings
      settings;  // over the scenario; none where there is nothing to improve, as of a fault that never strikes
};

}  // namespace gauntlet
