// The command line: what can be asked, and its help.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"
#include "config/nearest.hpp"
#include "study/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <thread>

namespace gauntlet {
namespace {

constexpr unsigned kMostThreads = 1024;
// That of a scenario's study.seed, whose whole numbers are signed.
constexpr auto kLargestSeed = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads); }

CLI::App* add(CLI::App& app, const char* name, const char* what, const char* examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer(std::string("Examples:\n") + examples);
  return command;
}

// One value each time, so that a scenario may follow: `--set a=1 x.toml`.
void add_sets(CLI::App& command, std::vector<std::string>& sets) {
  command.add_option("--set", sets, "Change the scenario: path=value, as often as needed")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, RunRequest& request, int& exit_code) {
  CLI::App* run = add(app, "run", "Run a scenario and report what its faults cost",
                      "  gauntlet run scenarios/tiny-8.toml\n"
                      "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200 --seed 1 --out results\n"
                      "  gauntlet run scenarios/tiny-8.toml --set checkpoint.interval=5min --json\n"
                      "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet");
  run->add_option("scenario", request.scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
  CLI::Option* replicas =
      run->add_option("--replicas", request.replicas,
                      fmt::format("How many replicas, {} at most (default: the scenario's)", kMostReplicas))
          ->type_name("N")
          ->check(CLI::Range(1U, kMostReplicas));
  CLI::Option* replica =
      run->add_option("--replica", request.replica, "Run this replica alone, counted from 0")
          ->type_name("K")
          ->check(CLI::Range(0, 1'000'000'000))
          ->excludes(replicas);
  run->add_option("--seed", request.seed, "Seed of all randomness (default: the scenario's)")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed));
  run->add_option("--threads", request.threads, "Threads; the results do not depend on them")
      ->type_name("T")
      ->check(CLI::Range(1U, kMostThreads))
      ->capture_default_str();
  add_sets(*run, request.sets);
  run->add_option("--out", request.out,
                  "Write result.json, replicas.csv, incidents.csv, results.sqlite and scenario.toml here")
      ->type_name("DIR")
      ->check([](const std::string& name) {
        return name.empty() ? std::string("names no directory") : std::string();
      });
  run->add_flag("--force", request.force, "Replace the results or the recording that are there");
  run->add_flag("--json", request.json, "Print the summary as JSON, and nothing else");
  run->add_option("--record", request.record,
                  "Write every observation and order of the replica here, for replay")
      ->type_name("FILE")
      ->needs(replica);
  run->add_flag(
      "--full-telemetry", request.full_telemetry,
      "Generate every raw sample instead of what would pass the filters: slower, with the same result");
  run->callback([&] { exit_code = run_command(request); });
}

void add_replay(CLI::App& app, std::string& file, int& exit_code) {
  CLI::App* replay = add(app, "replay", "Hold the policies to the orders in a recording",
                         "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet\n"
                         "  gauntlet replay run.gauntlet");
  replay->add_option("file", file, "A recording of `gauntlet run --record`")->type_name("FILE")->required();
  replay->callback([&] { exit_code = replay_command(file); });
}

void add_scenario_commands(CLI::App& app, RunRequest& request, std::vector<std::string>& scenarios,
                           std::string& what, int& exit_code) {
  CLI::App* check = add(app, "check", "Report every mistake in scenarios, and run nothing",
                        "  gauntlet check scenarios/*.toml");
  check->add_option("scenarios", scenarios, "Scenario files")->type_name("SCENARIO")->required();
  check->callback([&] { exit_code = check_command(scenarios); });

  CLI::App* show = add(app, "show", "Print a scenario with everything resolved, itself a scenario",
                       "  gauntlet show scenarios/llama3-405b-54d.toml\n"
                       "  gauntlet show scenarios/tiny-8.toml --set spares.count=4 > mine.toml");
  show->add_option("scenario", request.scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
  add_sets(*show, request.sets);
  show->callback([&] { exit_code = show_command(request.scenario, request.sets); });

  CLI::App* list =
      add(app, "list", "List what scenarios can name", "  gauntlet list\n  gauntlet list policies");
  list->add_option("what", what, "Which kind of names (default: all)")
      ->type_name("KIND")
      ->check(CLI::IsMember(listed_kinds()));
  list->callback([&] { exit_code = list_command(what); });

  CLI::App* schema = add(app, "schema", "Print the JSON Schema of scenarios, for editors",
                         "  gauntlet schema > gauntlet.schema.json");
  schema->callback([&] { exit_code = schema_command(); });
}

void add_drill(CLI::App& app, DrillRequest& request, int& exit_code) {
  CLI::App* drill = add(app, "drill", "Run a scenario's policies on real processes, through real faults",
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4\n"
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --against-simulation\n"
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --record drill.rec && "
                        "gauntlet replay drill.rec");
  drill->add_option("scenario", request.scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
  drill->add_option("--hosts", request.hosts, "Agents to start, one a host: the scenario's hosts and spares")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 1000));
  drill
      ->add_option("--seed", request.seed,
                   "Seed of the fault plan and of the training (default: the scenario's)")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed));
  add_sets(*drill, request.sets);
  drill
      ->add_option("--record", request.record,
                   "Write every observation and order here as they come; an unfinished recording goes on")
      ->type_name("FILE");
  drill->add_option("--out", request.out, "Write the results here, as `gauntlet run` does")->type_name("DIR");
  CLI::Option* json = drill->add_flag("--json", request.json, "Print the summary as JSON, and nothing else");
  drill->add_flag("--no-faults", request.no_faults, "Inject nothing: the same training undisturbed");
  drill
      ->add_flag("--against-simulation", request.against_simulation,
                 "Simulate the same plan too, and print both beside each other")
      ->excludes(json);
  drill->callback([&] { exit_code = drill_command(request); });
}

void add_agent(CLI::App& app, AgentRequest& request, int& exit_code) {
  CLI::App* agent =
      add(app, "agent", "Supervise the ranks of one host for a drill (a drill starts its own agents)",
          "  mkdir -m 700 lab\n"
          "  gauntlet agent --host 0 --directory lab --trainer ./gauntlet-trainer");
  agent->add_option("--host", request.host, "The host's number in the scenario")->type_name("N")->required();
  agent
      ->add_option("--directory", request.directory,
                   "Where its socket is, and its ranks' logs: yours alone, mode 700")
      ->type_name("DIR")
      ->required();
  agent->add_option("--trainer", request.trainer, "The program that a rank runs")
      ->type_name("PATH")
      ->required();
  agent->add_option("--abandoned-after", request.abandoned_after, "End when no driver attended for so long")
      ->type_name("TIME")
      ->capture_default_str();
  agent->add_flag("--allow-injection", request.allow_injection,
                  "Obey a driver that kills or stops ranks as a fault");
  agent->callback([&] { exit_code = agent_command(request); });
}

void add_results(CLI::App& app, ResultsRequest& request, int& exit_code) {
  CLI::App* results = add(app, "results", "Print the figures of a result directory again",
                          "  gauntlet run scenarios/tiny-8.toml --out results\n"
                          "  gauntlet results results --check");
  results->add_option("directory", request.directory, "What `gauntlet run --out` wrote")
      ->type_name("DIR")
      ->required();
  results->add_flag("--check", request.check, "Verify that every replica's phases add up to its wall time");
  results->add_flag("--json", request.json, "Print the summary as JSON, and nothing else");
  results->callback([&] { exit_code = results_command(request); });
}

// The command whose arguments were read last, so that its options are the known words.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  return used.empty() ? app : *used.front();
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

// What to say of the first word that is not understood; empty where all are.
std::string unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return "";
  const CLI::App& command = innermost(app);
  const std::string word = words.front().substr(0, words.front().find('='));
  const bool option = word.starts_with('-');
  const std::vector<std::string> known = known_words(command, option);
  const std::string what = option ? "option" : "command";
  if (known.empty()) return fmt::format("\"{}\" is one word too many", word);
  const auto begun = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& name) { return name.starts_with(word); });
  const auto near = begun != known.end() ? std::optional(*begun) : nearest_name(word, known);
  return fmt::format("there is no {} \"{}\"{}", what, word,
                     near ? fmt::format("; did you mean \"{}\"?", *near) : "");
}

int main_program(int argc, char** argv) {
  CLI::App app("What will faults cost this training job, and which policies would make them cost less?",
               "gauntlet");
  app.set_version_flag("--version", "gauntlet " GAUNTLET_VERSION);
  app.set_help_all_flag("--help-all", "Print the help of every command and exit");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  gauntlet list scenarios\n"
      "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200\n"
      "  gauntlet check my-scenario.toml\n\n"
      "Exit codes: 0 success, 1 the run failed, a replica gave up or a check found something, 2 the input is "
      "wrong (nothing "
      "was\n"
      "written), 130 interrupted (with the report of what was done).");
  int exit_code = kSuccess;
  RunRequest run, show;
  run.threads = default_threads();
  std::string recording, what;
  std::vector<std::string> scenarios;
  ResultsRequest results;
  DrillRequest drill;
  AgentRequest agent;
  add_run(app, run, exit_code);
  add_replay(app, recording, exit_code);
  add_drill(app, drill, exit_code);
  add_agent(app, agent, exit_code);
  add_scenario_commands(app, show, scenarios, what, exit_code);
  add_results(app, results, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_word(app);
    if (error.get_exit_code() != 0 && !unknown.empty()) {
      const CLI::App& command = innermost(app);
      complain(unknown);
      complain(fmt::format("\"gauntlet {}--help\" says what there is",
                           &command == &app ? "" : command.get_name() + " "));
      return kWrongInput;
    }
    return app.exit(error) == 0 ? kSuccess : kWrongInput;  // 0: help or the version was asked for
  }
  return exit_code;
}

}  // namespace
}  // namespace gauntlet

int main(int argc, char** argv) {
  try {
    return gauntlet::main_program(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gauntlet: {}\n", error.what());
    return gauntlet::kFailed;
  }
}
