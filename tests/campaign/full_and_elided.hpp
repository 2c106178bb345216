// One run with elided telemetry and one with all of it: they show the policies the same.
#pragma once

#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace gauntlet {

/// The first line in which two transcripts differ, with the one before it; empty where they are the same.
inline std::string where_transcripts_part(const std::string& elided, const std::string& full) {
  std::istringstream in_elided(elided), in_full(full);
  std::string line, other, before;
  while (true) {
    const bool more = static_cast<bool>(std::getline(in_elided, line));
    const bool more_of_other = static_cast<bool>(std::getline(in_full, other));
    if (!more && !more_of_other) return "";
    if (more != more_of_other || line != other)
      return "after: " + before + "\nelided: " + (more ? line : "(end)") +
             "\nfull:   " + (more_of_other ? other : "(end)");
    before = line;
  }
}

inline void expect_same_run(const World& world, const PolicyConstants& policies, std::uint64_t seed,
                            const std::string& what = "") {
  Simulation elided(world, policies), full(world, policies);
  elided.run({.seed = seed, .replica = 0});
  full.run({.seed = seed, .replica = 0, .full_telemetry = true});
  EXPECT_EQ(where_transcripts_part(transcript(elided.record()), transcript(full.record())), "")
      << what << " seed " << seed;
}

}  // namespace gauntlet
