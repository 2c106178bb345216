// The table of a job's sizes, and the words for their figures.
#pragma once

#include "commands/scale/result.hpp"
#include "report/units.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// A mean and the half-width of its interval; "-" for what is not known.
struct Shown {
  std::string mean = "-", half_width = "-";
  /// "28.46 h +- 0.53"
  std::string both(std::string_view unit) const;
};
Shown shown(const Summary& summary, std::string_view metric, const Unit& unit);
/// The mean time to failure in hours, so that sizes can be held against each other; four digits.
Shown mttf_in_hours(const Summary& summary);

/// "16,384"
std::string gpus_text(const ScaledSize& size);

/// A line for each size: mean time to failure, ETTR, MFU, the best checkpoint interval, the loss that weighs most.
std::string sizes_table(const ScaleResult& result);

}  // namespace gauntlet
