// The command line: which commands there are.
#include "cli/commands.hpp"
#include "commands/calibrate/command.hpp"
#include "commands/compare/command.hpp"
#include "commands/explain/command.hpp"
#include "commands/new/command.hpp"
#include "commands/plan/command.hpp"
#include "commands/rank/command.hpp"
#include "commands/run/command.hpp"
#include "commands/scale/command.hpp"
#include "commands/step/command.hpp"
#include "commands/sweep/command.hpp"
#include "commands/timeline/command.hpp"
#include "commands/topology/command.hpp"
#include "commands/trace/command.hpp"
#include "commands/tune/command.hpp"
#include "commands/validate/command.hpp"
#include "commands/view/command.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"
#include "study/mpi/mpi.hpp"

#include <malloc.h>

#include <cstdlib>
#include <exception>

namespace gauntlet {
namespace {

// As `gauntlet --help` lists them.
constexpr auto kCommands = {add_new,
                            add_run,
                            add_sweep,
                            add_compare,
                            add_tune,
                            add_plan,
                            add_rank,
                            add_scale,
                            add_step,
                            add_topology,
                            add_view,
                            add_validate,
                            add_trace,
                            add_timeline,
                            add_replay,
                            add_drill,
                            add_segments,
                            add_watch,
                            add_calibrate,
                            add_ctl,
                            add_agent,
                            add_agent_probe,
                            add_agent_checkpointer,
                            add_certs,
                            add_probe,
                            add_scenario_commands,
                            add_list,
                            add_explain,
                            add_results};

/// Memory that a replica has freed waits for the next one. glibc would give it back to the kernel, which clears it before it lends it again:
/// where points take turns, as in tune, that took a quarter of the time (docs/performance.md).
void keep_freed_memory() {
  constexpr int kLargestBlock = 32 << 20, kKept = 256 << 20;  // bytes; 32 MiB is the most that glibc takes
  ::mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
}

int main_program(int argc, char** argv) {
  try {
    Program program(
        "gauntlet", "What will faults cost this training job, and which policies make them cost less?",
        GAUNTLET_VERSION,
        "Examples:\n"
        "  gauntlet new --out mine.toml\n"
        "  gauntlet list scenarios\n"
        "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200\n"
        "  gauntlet check my-scenario.toml\n\n"
        "Exit codes: 0 success; 1 the run failed, a replica gave up, a check found something or no plan\n"
        "meets the date; 2 the input is wrong and nothing was written; 128 + N signal N ended the program\n"
        "early (130: Ctrl-C), with a report of the replicas that were complete.");
    for (const auto add : kCommands) add(program);
    return program.run(argc, argv);
  } catch (const std::exception& error) {
    complain(text_of(error));
    return kFailed;
  }
}

}  // namespace
}  // namespace gauntlet

int main(int argc, char** argv) {
  gauntlet::ignore_signals_of_writes();
  gauntlet::keep_freed_memory();
  const auto program = [&] { return gauntlet::main_program(argc, argv); };
  if (!gauntlet::started_by_mpi()) return program();
  ::setenv("NO_COLOR", "1", 0);  // mpirun lends every rank a terminal, whatever it writes to itself
  return gauntlet::with_ranks(program, gauntlet::complain);
}
