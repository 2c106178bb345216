// Counters of the kernel that only grow, and by how much they grew since the last look.
//
// The last look is an earlier report of this host where there is one, else a second ago.
#pragma once

#include "real/probes/host/probe.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace gauntlet {

using Counters = std::map<std::string, std::uint64_t>;  // by the name that the report gives them

/// Those of `earlier` (facts of a report) that `now` has too; a counter that is lower now was reset, and counts as 0 then.
Counters growth(const Counters& now, const std::map<std::string, std::string>& earlier);

/// Reads the counters, and where the host has no earlier report of them, again after a second. The facts of the sample are the
/// counters. `part_of`: which part of the host a counter belongs to; its value is the sum.
ProbeSample sample_of_growth(const ProbedHost& host, const std::function<Counters()>& read,
                             const std::function<std::string(const std::string& counter)>& part_of);

}  // namespace gauntlet
