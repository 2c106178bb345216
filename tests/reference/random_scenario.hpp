// Random small scenarios for the reference cluster, and how to make one that fails smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gauntlet::reference {

/// One line of a scenario, by its table: `{"repair", "crew", "1"}`.
struct Line {
  std::string table, key, value;
  bool kept = false;  // without it the scenario would be beyond what the reference cluster does
};
using Lines = std::vector<Line>;

/// A valid scenario of 1 to 8 hosts with a random subset of features.
Lines random_scenario(std::uint64_t seed);

std::string to_toml(const Lines& lines);

/// Leaves out tables, then lines, as long as `fails` holds: it should hold for the same difference alone. It is asked about
/// texts, some of which are no valid scenarios.
Lines shrunk(Lines lines, const std::function<bool(const std::string& toml)>& fails);

}  // namespace gauntlet::reference
