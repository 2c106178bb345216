// Results from a directory: their figures again, and whether they add up.
#pragma once

#include "core/problem.hpp"
#include "study/results/summary.hpp"

#include <filesystem>
#include <optional>

namespace gauntlet {

struct ReadResults {
  std::optional<Summary> summary;
  std::optional<Problem> problem;  // where there is no summary
};
/// The summary from result.json, with the facts from results.sqlite.
ReadResults read_results(const std::filesystem::path& directory);

/// The first thing that does not hold in the files of `summary`, with its line; nothing when all does:
/// - every replica's phases add up to its wall time, and its causes to what is not effective
/// - the replicas are whole and in order, their fingerprints make the study's, and the database has as many
/// - every incident belongs to a replica, ends after it began, and lost no negative time
std::optional<Problem> check_results(const std::filesystem::path& directory, const Summary& summary);

}  // namespace gauntlet
