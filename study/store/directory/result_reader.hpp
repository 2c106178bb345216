// Results from a directory: their figures again, and whether they add up.
#pragma once

#include "core/problem.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/store/store.hpp"
#include "study/summary/summary.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

/// What is at a place: results, or a study that is under way, was killed, or was never committed.
struct FoundResults {
  std::unique_ptr<Store> store;  // opened to read
  std::filesystem::path directory;
  bool complete = false;           // result.json is there; else `directory` is DIR.part
  std::optional<Problem> problem;  // where there is no store
};
/// Looks at DIR, then at DIR.part.
FoundResults find_results(const std::filesystem::path& directory);

/// Whether the study is of one point whose summary is result.json (run and drill).
bool is_single(const Store& store);

struct ReadResults {
  std::optional<Summary> summary;
  std::optional<Problem> problem;  // where there is no summary
};
/// The summary of a single study from result.json, with the facts from the store.
ReadResults read_summary(const FoundResults& results);

/// The first thing that does not hold, with its line where it is in a CSV file; nothing when all does:
/// - the store is not damaged, and no file was changed or lost since it was written
/// - every replica's phases add up to its wall time, and its causes to every phase but `effective`
/// - replicas.csv and incidents.csv have the rows of the store and no others
/// - the rows of over-time.csv, where it is there, add up to the replicas
/// - the fingerprints of a point's replicas make that of its summary: of `summary`, for a single study, and of those that
///   are in the store
/// - points.csv, and the statistics in result.json, are those of the store (of a study that was interrupted, result.json may
///   be of fewer replicas, and is not looked at then)
/// - every incident belongs to a replica, ends after it began, and lost no negative time
std::optional<Problem> check_results(const FoundResults& results, const std::optional<Summary>& summary);

}  // namespace gauntlet
