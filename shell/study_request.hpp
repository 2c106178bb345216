// Options that several commands share: scenario, settings, seed, threads, output.
#pragma once

#include "shell/options.hpp"
#include "study/controls.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

inline constexpr std::uint32_t kMostThreads = 1024;
/// That of a scenario's study.seed, whose whole numbers are signed.
inline constexpr auto kLargestSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// As many as this machine has cores, kMostThreads at most.
std::uint32_t default_threads();

/// What every command that runs replicas is told.
struct StudyRequest {
  std::vector<std::string> scenarios;         // files, or the names of shipped ones; one but for `compare`
  std::vector<std::string> sets;              // "path=value"
  std::optional<std::uint64_t> seed;          // the scenario's, where not given
  std::uint32_t threads = default_threads();  // of every process
  std::string out;                            // a directory to make; empty: nothing is written
  bool force = false;                         // what is there may be replaced
  bool resume = false;                        // go on with what is there
  bool quiet = false;                         // no progress bar
  bool json = false;                          // the result alone, for scripts
  bool plain = false;                         // means without controls
  std::optional<std::uint32_t> incidents;     // replicas of a point that keep their incidents

  Means means() const { return plain ? Means::plain : Means::controlled; }
};

Option add_scenario(Command& command, std::string& scenario);
Option add_scenarios(Command& command, std::vector<std::string>& scenarios);
void add_sets(Command& command, std::vector<std::string>& sets);
Option add_seed(Command& command, std::optional<std::uint64_t>& seed, const std::string& what);
void add_threads(Command& command, std::uint32_t& threads, const std::string& what);
void add_quiet(Command& command, bool& quiet);
Option add_json(Command& command, bool& json);
Option add_replicas(Command& command, std::optional<std::uint32_t>& replicas, const std::string& what);

/// What --out writes for the studies that say nothing else.
inline constexpr const char* kStudyFiles =
    "report.html, report.txt, result.json, points.csv, results.sqlite, manifest.txt";

/// The rest of `request`, its scenarios apart. `files`: what --out writes. `replaced`: what --force replaces. `incidents`: as many
/// replicas of a point keep theirs unless --incidents says otherwise. Returns --out.
Option add_study(Command& command, StudyRequest& request, const std::string& files,
                 const std::string& replaced = "the results in the directory of --out",
                 std::uint32_t incidents = 1);

}  // namespace gauntlet
