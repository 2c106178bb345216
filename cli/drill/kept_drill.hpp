// A drill as --repeat keeps it: its recording and its results.
#pragma once

#include "cli/drill/one_drill.hpp"
#include "core/problem.hpp"
#include "core/record/record.hpp"
#include "score/figures.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gauntlet {

struct KeptDrill {
  Record record;
  Figures figures;  // with its incidents
};

/// Where drill `number` is kept in the directory of --out.
std::filesystem::path results_of_kept(const std::filesystem::path& out, std::uint32_t number);

/// Makes the directory, where it is free or holds drills. A problem says why not.
std::optional<Problem> open_kept(const std::filesystem::path& out);

/// Nothing in both where the drill is not complete. A problem: it is another drill than the task, or is damaged.
struct KeptAnswer {
  std::optional<KeptDrill> drill;
  std::optional<Problem> problem;
};
KeptAnswer read_kept(const std::filesystem::path& out, std::uint32_t number, const DrillTask& task);

}  // namespace gauntlet
