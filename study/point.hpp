// A point of a study: one scenario among those that the study runs.
#pragma once

#include "config/scenario.hpp"
#include "study/controls.hpp"
#include "study/summary/facts.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// What differs from the base scenario, as `--set path=value` says it.
struct Setting {
  std::string path;   // "checkpoint.interval"
  std::string value;  // TOML, or a bare word: "10min"
  friend bool operator==(const Setting&, const Setting&) = default;
};
using Settings = std::vector<Setting>;

/// The scenario of a point, ready to run. Immutable; shared by the threads that run it.
struct Point {
  std::string label;  // for people: the file of a compared scenario; empty where the settings say enough
  Settings settings;  // what distinguishes it within its study
  Scenario scenario;
  std::string text;  // the whole scenario as TOML without comments: what makes two points the same
  ScenarioFacts facts;
  /// Replica i of this point meets the faults of replica `first_faults` + i of the study. Above zero for points that are
  /// to be independent of each other, as draws of uncertain parameters are.
  std::uint32_t first_faults = 0;
  double tilt = 1;  // faults strike so many times as often as `text` says (study/tilted.hpp)
};

/// What the results need to know of a scenario. `version`: of the program.
ScenarioFacts facts_of(const Scenario& scenario, std::uint64_t seed, const std::string& version);

/// A point, or the mistakes of its scenario.
struct LoadedPoint {
  std::shared_ptr<const Point> point;
  std::vector<Problem> problems;  // where there is no point
  std::vector<Problem> warnings = {};
};

/// One base scenario of a study, from which points are made by settings. Its files are read once, so that a file which
/// somebody edits meanwhile does not change half of a study.
class PointSource {
 public:
  /// `path`: a file or a shipped name; `sets`: the user's --set, below the settings of every point; `seed`: where there is none, the
  /// scenario's, and 1 where it does not load; `means`: of all points.
  PointSource(std::string path, std::vector<std::string> sets, std::optional<std::uint64_t> seed = {},
              Means means = Means::controlled);

  LoadedPoint point(const Settings& settings = {}, std::string label = {}) const;
  /// The whole scenario of a point, or of the base, with its defaults, as `show` gives it.
  std::string shown(Comments comments, const Settings& settings = {}) const;
  std::uint64_t seed() const { return seed_; }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& sets() const { return sets_; }
  /// The whole base scenario as a tree of values, to ask what a path holds; an empty table where it does not load.
  const Value& resolved() const { return resolved_; }

 private:
  /// Takes the scenario, its problems and its warnings, and leaves its tree.
  LoadedPoint point_of(LoadedScenario& loaded, const Settings& settings, std::string label) const;

  std::string path_;
  std::vector<std::string> sets_;
  std::uint64_t seed_ = StudyDefaults{}.seed;
  Means means_;
  ScenarioSource source_;
  Value resolved_;
  LoadedPoint base_;
};

/// The same scenario under faults of other replicas, from `first` on: another point, as a line of its text says.
std::shared_ptr<const Point> under_other_faults(const Point& point, std::uint32_t first, std::string label);

/// "checkpoint.interval = 10min, spares.count = 4"
std::string settings_text(const Settings& settings);

}  // namespace gauntlet
