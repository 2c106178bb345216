// The options of every command, and their help: declared for the command line, which fills the requests.
#pragma once

#include "cli/commands.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gauntlet {

inline constexpr unsigned kMostThreads = 1024;
/// That of a scenario's study.seed, whose whole numbers are signed.
inline constexpr auto kLargestSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// --- shared by commands ------------------------------------------------------------------------------------------------

CLI::App* add(CLI::App& app, const char* name, const char* what, const char* examples);
/// One value each time, so that a scenario may follow: `--set a=1 x.toml`.
void add_sets(CLI::App& command, std::vector<std::string>& sets);
CLI::Option* add_scenario(CLI::App& command, std::string& scenario);

// --- commands; each leaves its exit code, and the request must outlive the parse ------------------------------------------

// cli/new_options.cpp
void add_new(CLI::App& app, NewRequest& request, int& exit_code);

// cli/study_options.cpp
void add_run(CLI::App& app, RunRequest& request, int& exit_code);
void add_sweep(CLI::App& app, SweepRequest& request, int& exit_code);
void add_compare(CLI::App& app, CompareRequest& request, int& exit_code);
void add_tune(CLI::App& app, TuneRequest& request, int& exit_code);
void add_plan(CLI::App& app, PlanRequest& request, int& exit_code);
void add_scale(CLI::App& app, ScaleRequest& request, int& exit_code);

// cli/model_options.cpp
void add_step(CLI::App& app, StepRequest& request, int& exit_code);
void add_topology(CLI::App& app, TopologyRequest& request, int& exit_code);
void add_validate(CLI::App& app, ValidateStepRequest& step, ValidatePoliciesRequest& policies,
                  int& exit_code);

// cli/trace_options.cpp
void add_trace(CLI::App& app, TraceRequest& request, int& exit_code);

// cli/scenario_options.cpp
/// What `show` is told; `check` has its --set.
struct ShowRequest {
  std::string scenario;
  std::vector<std::string> sets;
};
void add_replay(CLI::App& app, std::string& file, bool& tell, int& exit_code);
void add_scenario_commands(CLI::App& app, ShowRequest& request, std::vector<std::string>& scenarios,
                           std::string& what, int& exit_code);
void add_drill(CLI::App& app, DrillRequest& request, int& exit_code);
void add_agent(CLI::App& app, AgentRequest& request, int& exit_code);
void add_results(CLI::App& app, ResultsRequest& request, int& exit_code);

}  // namespace gauntlet
