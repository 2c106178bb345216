// When a job that makes no progress gives up: after job.give_up_after, or after many starts.
#pragma once

#include <cstdint>
#include <string_view>

namespace gauntlet {

/// Starts in a row after none of which training completed a new step. The job gives up at the next one, whatever the time: where
/// nothing takes time, it would start millions of times within job.give_up_after (assumption: nobody watches so many).
inline constexpr std::uint32_t kMostStartsInVain = 10'000;

/// What such a run did, for people.
inline constexpr std::string_view kGaveUpBecause =
    "made no progress for job.give_up_after, or in 10,000 starts in a row";

}  // namespace gauntlet
