// The commands, one function each. They print, and return the exit code (cli/exit_code.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What every command that runs replicas is told.
struct StudyRequest {
  std::vector<std::string> scenarios;      // files, or the names of shipped ones; one but for `compare`
  std::vector<std::string> sets;           // "path=value"
  std::optional<std::uint64_t> seed;       // the scenario's, where not given
  unsigned threads = 1;                    // of every process
  std::string out;                         // a directory to make; empty: nothing is written
  bool force = false;                      // whether an existing directory is replaced
  bool resume = false;                     // whether the study in `out` is continued
  bool quiet = false;                      // no progress bar
  bool json = false;                       // the result alone, for scripts
  std::optional<std::uint32_t> incidents;  // replicas of a point that keep their incidents
};

struct RunRequest : StudyRequest {
  std::optional<std::uint32_t> replicas;  // the scenario's, where not given
  std::optional<std::uint32_t> replica;   // this one alone
  std::string record;                     // a file to make; empty: none
  bool full_telemetry = false;
};
int run_command(const RunRequest& request);

struct SweepRequest : StudyRequest {
  std::vector<std::string> vary;  // "path=1min:2h:log20" or "path=10s,30s"
  std::string design = "grid";    // or latin-hypercube
  std::uint32_t points = 0;       // of a latin hypercube
  std::optional<std::uint32_t>
      replicas;  // of every point; with a precision: at most. The scenario's, where not given
  std::vector<std::string> precision;  // "ettr=0.002": half-width of the 95% interval of a mean
  std::string budget;                  // "20000": replicas in all; empty: no bound
};
int sweep_command(const SweepRequest& request);

struct CompareRequest : StudyRequest {
  std::optional<std::uint32_t> replicas;
  std::vector<std::string> versions;  // "--with 'path=value path=value'": variants of the one scenario
};
int compare_command(const CompareRequest& request);

struct TuneRequest : StudyRequest {
  std::vector<std::string> over;  // "checkpoint.interval" or "checkpoint.interval=1min:2h"
  std::string minimize;           // a metric; empty with `maximize` empty: maximize ettr
  std::string maximize;
  std::vector<std::string> subject_to;  // "wall_time_s.p95<60d"
  std::optional<std::uint32_t> budget;  // replicas in all
};
int tune_command(const TuneRequest& request);

struct PlanRequest : StudyRequest {
  std::string finish_by;  // "60d"
  double confidence = 0.95;
  std::string tokens;  // the work, where the scenario has none: "15.6T"
  std::optional<std::uint32_t> replicas;
  bool uncertainty = false;  // carry parameter uncertainty into the results
};
int plan_command(const PlanRequest& request);

struct ScaleRequest : StudyRequest {
  std::string gpus;  // "1k:128k:log8" or "1024,16384"
  std::optional<std::uint32_t> replicas;
  bool keep_batch = false;  // strong scaling: the global batch stays
};
int scale_command(const ScaleRequest& request);

struct StepRequest {
  std::string scenario;
  std::vector<std::string> sets;
  std::vector<std::string> degrade;  // "host:17.slow=1.10"
  std::string network;               // empty: what fits
  std::string ecmp = "spread";
  std::vector<std::string> beside, storm;     // "host:3-host:8", "host:8"
  std::optional<std::string> trace, heatmap;  // files to make
  bool json = false;
};
int step_command(const StepRequest& request);
std::vector<std::string> step_networks();

struct TopologyRequest {
  std::string scenario;
  std::vector<std::string> sets;
  bool dot = false;  // Graphviz instead of text
};
int topology_command(const TopologyRequest& request);

struct ValidateStepRequest {
  std::string data;  // a table of published steps; empty: that of the project
  bool fit = false;  // find the constants again, too
  bool json = false;
};
/// The step model against published steps; fails where a bound on its errors is broken.
int validate_step_command(const ValidateStepRequest& request);

struct ValidatePoliciesRequest {
  std::uint64_t seed = 1;
  bool quick = false;  // as few replicas as the tests run
  std::string only;    // checks whose subject holds this; empty: all
  unsigned threads = 1;
  bool quiet = false;
  bool json = false;
};
/// Policies, simulator and score against closed forms and another simulator; fails where one is too far off.
int validate_policies_command(const ValidatePoliciesRequest& request);

struct TraceRequest {
  std::string file;
  std::string format = "detect";  // one of trace_formats
  std::optional<std::string> system, cause, from, until;
  std::optional<std::uint32_t> nodes;
  std::string zero_gaps = "drop";  // one of trace_zero_gaps
  bool by_node = false;
  std::optional<double> max_rejected;  // share of the lines
  std::optional<std::string> out;      // a file to make; `import` has one
  bool force = false;                  // whether an existing file of the same kind is replaced
  bool json = false;
};
/// Failure records of a real cluster as faults that a scenario can extend.
int trace_import_command(const TraceRequest& request);
/// The laws behind them.
int trace_fit_command(const TraceRequest& request);
std::vector<std::string> trace_formats();
std::vector<std::string> trace_zero_gaps();

/// Holds the policies of this program to the orders in a recording; `tell`: prints what is in it instead.
int replay_command(const std::string& file, bool tell);

/// `sets`: over each of the scenarios.
int check_command(const std::vector<std::string>& scenarios, const std::vector<std::string>& sets);
int show_command(const std::string& scenario, const std::vector<std::string>& sets);
int list_command(const std::string& what);  // one of listed_kinds; empty: everything
std::vector<std::string> listed_kinds();
int schema_command();

struct DrillRequest {
  std::string scenario;
  std::vector<std::string> sets;
  std::uint32_t hosts = 0;            // agents to start: the scenario's hosts and spares
  std::optional<std::uint64_t> seed;  // the scenario's, where not given
  std::string record;                 // an unfinished one goes on; empty: none is kept
  std::string out;
  bool json = false;
  bool no_faults = false;
  bool against_simulation = false;
};
/// The same controller on real processes, through real faults.
int drill_command(const DrillRequest& request);

struct AgentRequest {
  std::uint32_t host = 0;
  std::string directory;
  std::string trainer;
  std::string abandoned_after = "30s";
  bool allow_injection = false;
};
/// One host's end of a drill; returns when it has ended.
int agent_command(const AgentRequest& request);

struct ResultsRequest {
  std::string directory;
  bool check = false;
  bool json = false;
  std::string sql;   // a question to the database; its answer is printed
  bool csv = false;  // ... as CSV instead of a table; without a question: the figures of every point
};
int results_command(const ResultsRequest& request);

}  // namespace gauntlet
