// How much more work stops took from a job than was to be expected.
//
// A fault that strikes while the job trains costs it the work at risk. Of kinds that strike at one rate at all times, the work that
// strikes took less the rate times the work at risk, summed over the time of training, is a martingale: its mean is zero at the end
// of a run, whatever policies do (a stochastic integral against a compensated count; Andersen, Borgan, Gill, Keiding, Statistical
// Models Based on Counting Processes, 1993, sec. II.3). It says whether stops came late or early between checkpoints, which the
// number of stops does not.
#pragma once

#include "models/world/world.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

class LostWork {
 public:
  explicit LostWork(const World& world);
  void reset() { lost_ = 0; }

  /// `at_risk`: just before the strike, in any unit; zero while the job does not train.
  void struck(const Strike& strike, double at_risk) {
    if (strike.component.index < components_[strike.kind.value]) lost_ += at_risk;
  }
  /// `at_risk`: summed over the seconds of training so far.
  double compensated(double at_risk) const { return lost_ - rate_ * at_risk; }

 private:
  std::vector<std::uint32_t> components_;  // by FaultKindId: those that count
  double rate_ = 0;                        // of strikes on all of them, per second
  double lost_ = 0;
};

}  // namespace gauntlet
