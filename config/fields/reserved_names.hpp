// Names that no fault may have.
#pragma once

#include <array>
#include <string_view>

namespace gauntlet {

/// What lost time is charged to beside the faults, under these names in every result. A copy of kCauseNames of
/// score/figures.hpp, which a scenario knows nothing of; tests/campaign/cause_names_test.cpp holds them together.
inline constexpr std::array<std::string_view, 8> kCausesThatAreNoFault = {
    "start",        "planned_stop", "false_alarm",    "checkpoint",
    "unattributed", "evaluation",   "fewer_replicas", "preempted"};

}  // namespace gauntlet
