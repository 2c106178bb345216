// Where the time went, on a page: by phase, by cause, and which cause loses time in which phase.
#pragma once

#include "report/page/page.hpp"
#include "score/figures.hpp"
#include "study/summary/summary.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Lost time by cause and phase, summed over runs.
class LossGrid {
 public:
  void add(const Figures& figures);
  /// Seconds per run.
  double mean(Cause cause, Phase phase) const;
  bool empty() const { return runs_ == 0; }

 private:
  std::vector<std::array<double, kPhases>> seconds_;  // by Cause
  std::uint64_t runs_ = 0;
};

/// Bars by phase and by cause. Those by cause are stacked by phase where `grid` has runs. Without a loss the section says so.
Section lost_time_section(const Summary& summary, const LossGrid& grid);

}  // namespace gauntlet
