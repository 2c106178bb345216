// The suite of probes of a file, as real hosts carry it out.
#pragma once

#include "config/toml/value.hpp"
#include "core/problem.hpp"
#include "core/time.hpp"
#include "models/world/probe_measure.hpp"

#include <span>
#include <string>
#include <vector>

namespace gauntlet {

struct SuiteEntry {
  std::string name;
  Duration time{};  // what a simulation takes for it
  ProbeMeasure measure;
};

struct LoadedSuite {
  std::vector<SuiteEntry> probes;  // in the order of diagnosis.suite; empty where there are problems
  std::vector<SuiteEntry> others;  // probes of the file that are not in diagnosis.suite
  std::vector<Problem> problems;
};

/// `path`: a file that has [probes], such as a scenario or a profile of the catalogue. Nothing else of it is read than its probes
/// and diagnosis.suite. `sets`: "path=value" each, over what the file says.
LoadedSuite load_host_suite(const std::string& path, std::span<const std::string> sets);

/// That of a scenario that was loaded (LoadedScenario::resolved).
LoadedSuite host_suite_of(const Value& scenario);

/// The suites of probes that Gauntlet ships: host-NAME of the catalogue. Empty if the catalogue has none.
std::string shipped_host_suite(const std::string& name);

}  // namespace gauntlet
