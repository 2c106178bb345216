// Reports of `gauntlet probe --json`: how long each probe took, and its verdicts.
#pragma once

#include "commands/calibrate/sample.hpp"
#include "core/problem.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Adds the times of each probe under "probes.NAME.time", and its verdicts as a remark.
std::optional<Problem> add_probe_reports(const std::vector<std::string>& files,
                                         std::map<std::string, KeySample>& samples);

}  // namespace gauntlet
