// The options of the commands of scenarios, recordings, drills and results.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gauntlet {

void add_replay(CLI::App& app, std::string& file, bool& tell, int& exit_code) {
  CLI::App* replay = add(app, "replay", "Compare the orders of today's policies with those in a recording",
                         "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet\n"
                         "  gauntlet replay run.gauntlet\n"
                         "  gauntlet replay run.gauntlet --tell");
  replay->add_option("file", file, "A recording of `gauntlet run --record`")->type_name("FILE")->required();
  replay->add_flag("--tell", tell, "Print the observations and the orders, and compare nothing");
  replay->callback([&] { exit_code = replay_command(file, tell); });
}

void add_scenario_commands(CLI::App& app, ShowRequest& request, std::vector<std::string>& scenarios,
                           std::string& what, int& exit_code) {
  CLI::App* check = add(app, "check", "Report all mistakes in scenarios, without running them",
                        "  gauntlet check scenarios/*.toml\n"
                        "  gauntlet check mine.toml --set checkpoint.interval=5min");
  check->add_option("scenarios", scenarios, "Scenario files, or the names of shipped ones")
      ->type_name("SCENARIO")
      ->required();
  add_sets(*check, request.sets);
  check->callback([&] { exit_code = check_command(scenarios, request.sets); });

  CLI::App* show = add(app, "show", "Print every value of a scenario, with its meaning and its source",
                       "  gauntlet show scenarios/llama3-405b-54d.toml\n"
                       "  gauntlet show scenarios/tiny-8.toml --set spares.count=4 > mine.toml");
  add_scenario(*show, request.scenario);
  add_sets(*show, request.sets);
  show->callback([&] { exit_code = show_command(request.scenario, request.sets); });

  CLI::App* list = add(app, "list", "List the names that scenarios and studies can use",
                       "  gauntlet list\n  gauntlet list policies\n  gauntlet list metrics");
  list->add_option("what", what, "The kind of names (default: all)")
      ->type_name("KIND")
      ->check(CLI::IsMember(listed_kinds()));
  list->callback([&] { exit_code = list_command(what); });

  CLI::App* schema = add(app, "schema", "Print the JSON Schema of scenarios, for editors",
                         "  gauntlet schema > gauntlet.schema.json");
  schema->callback([&] { exit_code = schema_command(); });
}

void add_drill(CLI::App& app, DrillRequest& request, int& exit_code) {
  CLI::App* drill = add(app, "drill", "Run the policies of a scenario on real processes, with real faults",
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4\n"
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --against-simulation\n"
                        "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --record drill.rec && "
                        "gauntlet replay drill.rec");
  drill->add_option("scenario", request.scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
  drill
      ->add_option("--hosts", request.hosts,
                   "Number of agents, one per host: hosts and spare hosts of the scenario together")
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
                   "Write every observation and order here as it comes; an unfinished recording is continued")
      ->type_name("FILE");
  drill->add_option("--out", request.out, "Write the results here, as `gauntlet run` does")->type_name("DIR");
  CLI::Option* json = drill->add_flag("--json", request.json, "Print the summary as JSON, and nothing else");
  drill->add_flag("--no-faults", request.no_faults, "Inject no faults: the same training without faults");
  drill
      ->add_flag("--against-simulation", request.against_simulation,
                 "Also simulate the same fault plan, and print both side by side")
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
                   "Directory of its socket and of the logs of its ranks; mode 700")
      ->type_name("DIR")
      ->required();
  agent->add_option("--trainer", request.trainer, "The program that a rank runs")
      ->type_name("PATH")
      ->required();
  agent->add_option("--abandoned-after", request.abandoned_after, "End after this time without a driver")
      ->type_name("TIME")
      ->capture_default_str();
  agent->add_flag("--allow-injection", request.allow_injection,
                  "Obey a driver that kills or stops ranks as a fault");
  agent->callback([&] { exit_code = agent_command(request); });
}

void add_results(CLI::App& app, ResultsRequest& request, int& exit_code) {
  CLI::App* results =
      add(app, "results", "Print the report of a result directory, check it, or query its tables",
          "  gauntlet run scenarios/tiny-8.toml --out results\n"
          "  gauntlet results results --check\n"
          "  gauntlet results results --sql 'select cause, count(*) from incident group by cause'\n"
          "  gauntlet results results --sql 'select * from metric' --csv > metrics.csv");
  results->add_option("directory", request.directory, "A directory that --out wrote, or is writing")
      ->type_name("DIR")
      ->required();
  results->add_flag(
      "--check", request.check,
      "Verify that every replica's phases add up to its wall time, that the files agree, and that "
      "no file was changed since it was written");
  results
      ->add_option("--sql", request.sql,
                   "Query the database and print the rows (docs/files-and-tables.md has the tables)")
      ->type_name("QUERY");
  CLI::Option* csv = results->add_flag("--csv", request.csv,
                                       "Print CSV: the rows of --sql, or else the figures of every point");
  results->add_flag("--json", request.json, "Print JSON: the rows of --sql, or else the result")
      ->excludes(csv);
  results->callback([&] { exit_code = results_command(request); });
}

}  // namespace gauntlet
