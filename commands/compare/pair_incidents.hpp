// Which incidents of two runs are the same one.
#pragma once

#include "commands/compare/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// The incidents of a run, and the names of its scenario's causes.
struct RunIncidents {
  std::span<const Incident> incidents;
  std::span<const std::string> causes;
};

/// Every incident of both, once, by time. Two are the same where their causes have the same name and struck the same
/// component at the same time. Of what is left: faults of the same kind on the same component within a day, as a clock that
/// stands while the job does makes one fault strike at other times; other stops within an hour, as they wait for a step.
std::vector<IncidentPair> pair_incidents(const RunIncidents& first, const RunIncidents& second);

}  // namespace gauntlet
