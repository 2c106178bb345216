// The computation that a GPU would do, as work of this host's core: so many units of arithmetic as take the time on an undisturbed core.
// A core that is slow, or has only a share of its time, takes longer over them.
#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

class SegmentWork {
 public:
  /// Measures how long a unit takes: the shortest of 20 tries of about 0.2 ms each, in which an undisturbed core shows itself even where others
  /// use it too. `share`, in [0, 1]: the part of each time that is work. The rest is waited, for as long whatever the work took.
  explicit SegmentWork(double share);
  /// No work, and no measurement.
  SegmentWork() = default;

  void take(Duration time) const;
  double share() const { return share_; }

 private:
  double share_ = 0;
  double unit_ns_ = 1;
};

/// What of a step's time each of so many ranks can spend on work on one machine: half of what its cores have, so that ranks seldom wait for
/// a core. At most half, too: the time of a step must not hang on the last percent of a core.
double work_share(std::uint32_t ranks, std::uint32_t cores);

/// That this process may use.
std::uint32_t usable_cores();

}  // namespace gauntlet
