// The commands, one function each. They print, and return the exit code (cli/exit_code.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct RunRequest {
  std::string scenario;                   // a file, or the name of a shipped one
  std::vector<std::string> sets;          // "path=value"
  std::optional<std::uint32_t> replicas;  // the scenario's, where not given
  std::optional<std::uint32_t> replica;   // this one alone
  std::optional<std::uint64_t> seed;      // the scenario's, where not given
  unsigned threads = 1;
  std::string out;     // a directory to make; empty: nothing is written
  std::string record;  // a file to make; empty: none
  bool force = false;  // `out` and `record` may exist
  bool json = false;   // the summary alone, for scripts
  bool full_telemetry = false;
};
int run_command(const RunRequest& request);

/// Holds the policies of this program to the orders in a recording.
int replay_command(const std::string& file);

int check_command(const std::vector<std::string>& scenarios);
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
};
int results_command(const ResultsRequest& request);

}  // namespace gauntlet
