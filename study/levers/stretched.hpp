// Values of a scenario made longer or shorter: the settings that do it, and how to say it.
#pragma once

#include "config/toml/value.hpp"
#include "study/point.hpp"

#include <string>

namespace gauntlet {

struct Stretched {
  Settings settings;   // none where there is nothing to stretch: no duration, or zero
  std::string change;  // "108s to 54s", "median 8h to 4h"
};

/// The durations that the value at `path` is made of, times `factor`: a duration itself, or those parameters of a
/// distribution that stretch it.
Stretched stretched(const Value& resolved, const std::string& path, double factor);

/// Whether a table is a distribution with parameters, such as { name = "weibull", shape = 0.7, mean = "300h" }.
bool is_distribution(const Value& value);

/// A bandwidth times `factor`; nothing where the value at `path` is none.
Stretched faster(const Value& resolved, const std::string& path, double factor);

}  // namespace gauntlet
