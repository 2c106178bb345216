// What a plan is asked.
#pragma once

#include "core/calendar.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

struct PlanQuestion {
  double tokens = 0;  // the work (study/work.hpp)
  std::optional<double> finish_by_s =
      {};  // after the start; without a date the plan says when the work is done
  double confidence = 0.95;
  std::optional<CalendarDay> start = {};  // the first day of the job: times are reported as dates too
  std::vector<std::size_t> percents = {1,  5,  50, 80,
                                       90, 95, 99};  // of the runs whose finish is reported, rising
  std::uint32_t replicas = 200;                      // of every variant that is tried
  std::uint32_t counted =
      200;  // of the plans that are reported, whose late runs are counted: at least `replicas`
  std::uint64_t seed = 0;
  bool uncertainty = false;  // carry it into the results too
};

}  // namespace gauntlet
