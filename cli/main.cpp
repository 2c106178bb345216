// The command line: which commands there are, and what is said of words that are none.
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "config/nearest.hpp"
#include "study/mpi/mpi.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <thread>

namespace gauntlet {
namespace {

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads); }

// The command whose arguments were read last, so that its options are the known words.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.front());
}

// "trace fit ", and nothing of the program itself.
std::string words_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "" : words_of(*command.get_parent()) + command.get_name() + " ";
}

std::vector<std::string> known_words(const CLI::App& command, bool options) {
  std::vector<std::string> known;
  if (options) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App* other : command.get_subcommands({})) known.push_back(other->get_name());
  }
  return known;
}

// The first word that is not understood.
struct UnknownWord {
  std::string says;         // what to say of it
  bool is_command = false;  // it stands where a command has to be named
};

std::optional<UnknownWord> unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return std::nullopt;
  const CLI::App& command = innermost(app);
  const std::string word = words.front().substr(0, words.front().find('='));
  const bool option = word.starts_with('-');
  const std::vector<std::string> known = known_words(command, option);
  const std::string what = option ? "option" : "command";
  if (known.empty())
    return UnknownWord{.says = fmt::format("\"{}\" is one word too many", word), .is_command = false};
  const auto begun = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& name) { return name.starts_with(word); });
  const auto near = begun != known.end() ? std::optional(*begun) : nearest_name(word, known);
  return UnknownWord{.says = fmt::format("there is no {} \"{}\"{}", what, word,
                                         near ? fmt::format("; did you mean \"{}\"?", *near) : ""),
                     .is_command = !option};
}

// Arguments that are wrong, or help or the version that was asked for. Help that is asked of no command there is, is wrong.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  const bool asked_for = error.get_exit_code() == 0;
  const std::optional<UnknownWord> unknown = unknown_word(app);
  if (unknown && (!asked_for || unknown->is_command)) {
    complain(unknown->says);
    complain(fmt::format("\"gauntlet {}--help\" says what there is", words_of(innermost(app))));
    return kWrongInput;
  }
  std::ostringstream out, err;
  app.exit(error, out, err);
  say(err.str());
  if (!asked_for) return kWrongInput;
  return print(out.str()) ? kSuccess : kFailed;
}

int main_program(int argc, char** argv) {
  CLI::App app("What will faults cost this training job, and which policies make them cost less?",
               "gauntlet");
  app.set_version_flag("--version", "gauntlet " GAUNTLET_VERSION);
  app.set_help_all_flag("--help-all", "Print the help of every command and exit");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  gauntlet list scenarios\n"
      "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200\n"
      "  gauntlet check my-scenario.toml\n\n"
      "Exit codes:\n"
      "  0        success\n"
      "  1        the run failed, a replica gave up, or a check found a problem\n"
      "  2        the input is wrong; nothing was written\n"
      "  128 + N  stopped by signal N, such as 130 by Ctrl-C; the report covers what was done");
  int exit_code = kSuccess;
  RunRequest run;
  SweepRequest sweep;
  CompareRequest compare;
  TuneRequest tune;
  PlanRequest plan;
  ScaleRequest scale;
  StepRequest step;
  for (StudyRequest* study :
       std::initializer_list<StudyRequest*>{&run, &sweep, &compare, &tune, &plan, &scale})
    study->threads = default_threads();
  ShowRequest show;
  TopologyRequest topology;
  ValidateStepRequest validate_step;
  ValidatePoliciesRequest validate_policies;
  validate_policies.threads = default_threads();
  TraceRequest trace;
  std::string recording, what;
  bool tell = false;
  std::vector<std::string> scenarios;
  ResultsRequest results;
  DrillRequest drill;
  AgentRequest agent;
  add_run(app, run, exit_code);
  add_sweep(app, sweep, exit_code);
  add_compare(app, compare, exit_code);
  add_tune(app, tune, exit_code);
  add_plan(app, plan, exit_code);
  add_scale(app, scale, exit_code);
  add_step(app, step, exit_code);
  add_topology(app, topology, exit_code);
  add_validate(app, validate_step, validate_policies, exit_code);
  add_trace(app, trace, exit_code);
  add_replay(app, recording, tell, exit_code);
  add_drill(app, drill, exit_code);
  add_agent(app, agent, exit_code);
  add_scenario_commands(app, show, scenarios, what, exit_code);
  add_results(app, results, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  }
  return exit_code;
}

int guarded_program(int argc, char** argv) {
  try {
    return main_program(argc, argv);
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace gauntlet

int main(int argc, char** argv) {
  gauntlet::ignore_signals_of_writes();
  const auto program = [&] { return gauntlet::guarded_program(argc, argv); };
  if (!gauntlet::started_by_mpi()) return program();
  ::setenv("NO_COLOR", "1", 0);  // mpirun lends every rank a terminal, whatever it writes to itself
  return gauntlet::with_ranks(program, gauntlet::complain);
}
