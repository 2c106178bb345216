// A result directory, written as the replicas come: result.json, replicas.csv, incidents.csv, results.sqlite and
// scenario.toml (the scenario with everything resolved).
//
// Everything is written under a temporary name beside the target; `commit` renames it. A run that dies leaves the target
// as it was.
#pragma once

#include "core/problem.hpp"
#include "score/figures.hpp"
#include "study/results/summary.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::string_view kResultFile = "result.json";
inline constexpr std::string_view kReplicasFile = "replicas.csv";
inline constexpr std::string_view kIncidentsFile = "incidents.csv";
inline constexpr std::string_view kDatabaseFile = "results.sqlite";
inline constexpr std::string_view kScenarioFile = "scenario.toml";

enum class Existing {
  refuse,   // a target that exists is a problem, unless it is an empty directory
  replace,  // ... and is moved away once the new results are complete, if it holds nothing but results
};

/// Not thread-safe: the caller hands over replicas one by one, in their order.
class ResultWriter {
 public:
  struct Opened {
    std::unique_ptr<ResultWriter> writer;
    std::optional<Problem> problem;  // where there is no writer
  };
  /// Checks the target and starts the files beside it. Nothing is left behind where that fails.
  static Opened open(const std::filesystem::path& target, Existing existing, const ScenarioFacts& facts,
                     std::string_view scenario_text);

  /// Removes what was not committed.
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void add(std::uint32_t replica, const Figures& figures);
  /// Whether writing has failed: going on is of no use, `commit` will say why.
  bool failed() const;
  /// Completes the files and gives the directory its name. Called once, last.
  std::optional<Problem> commit(const Summary& summary);

 private:
  struct Files;
  ResultWriter(std::filesystem::path target, std::filesystem::path temporary, Existing existing,
               const ScenarioFacts& facts);

  std::filesystem::path target_, temporary_;
  Existing existing_;
  std::unique_ptr<Files> files_;
};

}  // namespace gauntlet
