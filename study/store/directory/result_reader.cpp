#include "study/store/directory/result_reader.hpp"

#include "core/files/read.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/summary/summary_json.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnother = "name the --out of a study";
constexpr const char* kBringBack = "bring it back from a copy, or run the study again";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

FoundResults opened(const fs::path& directory, bool complete) {
  Store::Opened opened = Store::open_to_read(directory / kDatabaseFile);
  return {.store = std::move(opened.store),
          .directory = directory,
          .complete = complete,
          .problem = std::move(opened.problem)};
}

std::string what_differs(const Summary& summary, const Store& store) {
  const std::uint32_t first = summary.only.value_or(0);
  if (store.points() != 1) return fmt::format("holds {} points", store.points());
  const ScenarioFacts& facts = store.point(0).facts;
  if (facts.name != summary.facts.name || facts.seed != summary.facts.seed)
    return fmt::format("is of another study than {}", kResultFile);
  if (store.first_replica(0) != first || store.replicas(0) < summary.replicas)
    return fmt::format("does not hold the replicas that {} is of", kResultFile);
  return "";
}

}  // namespace

FoundResults find_results(const fs::path& directory) {
  if (is_file(directory / kResultFile)) return opened(directory, true);
  FoundResults none;
  if (is_file(directory / kManifestFile)) {
    none.problem = problem_of(directory / kResultFile, "is lost", kBringBack);
    return none;
  }
  for (const fs::path& place : {unfinished_directory(directory), directory})
    if (is_file(place / kDatabaseFile)) return opened(place, false);
  const auto unknown = out_of_reach(directory / kResultFile);
  none.problem =
      problem_of(directory, unknown ? "cannot be read: " + *unknown : "is not a result directory", kAnother);
  return none;
}

bool is_single(const Store& store) {
  const std::string& command = store.study().command;
  return command == "drill" || command == "run" || command.starts_with("run ");
}

ReadResults read_summary(const FoundResults& results) {
  const auto failed = [](Problem problem) {
    return ReadResults{.summary = std::nullopt, .problem = std::move(problem)};
  };
  const fs::path json = results.directory / kResultFile;
  const auto text = text_of(json);
  if (!text) return failed(problem_of(json, "cannot be read", kBringBack));
  ParsedSummary parsed = summary_from_json(*text);
  if (!parsed.summary) return failed(problem_of(json, "is damaged: " + parsed.why, kBringBack));
  if (const std::string what = what_differs(*parsed.summary, *results.store); !what.empty())
    return failed(problem_of(results.directory / kDatabaseFile, what, kBringBack));
  parsed.summary->facts = results.store->point(0).facts;
  return {.summary = std::move(parsed.summary), .problem = std::nullopt};
}

}  // namespace gauntlet
