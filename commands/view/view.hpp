// From a run to what its page shows: incidents with their culprits, the spread of each stop, what was recorded.
#pragma once

#include "commands/view/result.hpp"
#include "commands/view/source.hpp"

#include <cstddef>
#include <optional>

namespace gauntlet {

/// Up to so many incidents, events and samples are on a page; it says how many are not. Together they take about 1.5 MB.
inline constexpr std::size_t kMostViewIncidents = 1'000;
inline constexpr std::size_t kMostViewEvents = 8'000;
inline constexpr std::size_t kMostViewSamples = 20'000;
inline constexpr std::size_t kMostViewNumbers = 150'000;  // of spreads, answers and culprits

/// The incidents of a source: as they were scored, or else one for each stop that the policies ordered for a fault.
std::vector<Incident> incidents_of(const ViewSource& source);

/// `only`: the number of an incident of incidents_of(). The page then has that one alone, with all of its events and samples that there is
/// room for.
View view_of(const ViewSource& source, std::optional<std::size_t> only);

}  // namespace gauntlet
