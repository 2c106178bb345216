// The command line: what can be asked, and its help.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"
#include "config/nearest.hpp"
#include "study/mpi/mpi.hpp"
#include "study/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>
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

CLI::Option* add_scenario(CLI::App& command, std::string& scenario) {
  return command.add_option("scenario", scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
}

// What every command that runs replicas is told, its scenario apart.
void add_study(CLI::App& command, StudyRequest& request, const std::string& files) {
  command.add_option("--seed", request.seed, "Seed of all randomness (default: the scenario's)")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed));
  command
      .add_option("--threads", request.threads, "Threads of each process; the results do not depend on them")
      ->type_name("T")
      ->check(CLI::Range(1U, kMostThreads))
      ->capture_default_str();
  add_sets(command, request.sets);
  CLI::Option* out = command.add_option("--out", request.out, "Write " + files + " here")
                         ->type_name("DIR")
                         ->check([](const std::string& name) {
                           return name.empty() ? std::string("names no directory") : std::string();
                         });
  CLI::Option* force = command.add_flag("--force", request.force, "Replace what is there");
  command
      .add_flag("--resume", request.resume,
                "Go on from what --out holds: an unfinished study, or results that need more")
      ->needs(out)
      ->excludes(force);
  command
      .add_option(
          "--incidents", request.incidents,
          "Keep the incidents of so many replicas of a point (default: 100 of run, 1 of other studies)")
      ->type_name("N");
  command.add_flag("--quiet", request.quiet, "Show no progress");
  command.add_flag("--json", request.json, "Print the result as JSON, and nothing else");
}

// The most replicas of a point that may be asked for.
CLI::Option* add_replicas(CLI::App& command, std::optional<std::uint32_t>& replicas,
                          const std::string& what) {
  return command.add_option("--replicas", replicas, what)
      ->type_name("N")
      ->check(CLI::Range(1U, kMostReplicas));
}

void add_run(CLI::App& app, RunRequest& request, int& exit_code) {
  CLI::App* run = add(app, "run", "Run a scenario and report what its faults cost",
                      "  gauntlet run scenarios/tiny-8.toml\n"
                      "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200 --seed 1 --out results\n"
                      "  gauntlet run scenarios/tiny-8.toml --set checkpoint.interval=5min --json\n"
                      "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet");
  add_scenario(*run, request.scenarios.emplace_back());
  CLI::Option* replicas =
      add_replicas(*run, request.replicas,
                   fmt::format("How many replicas, {} at most (default: the scenario's)", kMostReplicas));
  CLI::Option* replica =
      run->add_option("--replica", request.replica, "Run this replica alone, counted from 0")
          ->type_name("K")
          ->check(CLI::Range(0, 1'000'000'000))
          ->excludes(replicas);
  add_study(
      *run, request,
      "result.json, report.txt, replicas.csv, incidents.csv, results.sqlite, scenario.toml and manifest.txt");
  run->add_option("--record", request.record,
                  "Write every observation and order of the replica here, for replay")
      ->type_name("FILE")
      ->needs(replica);
  run->add_flag(
      "--full-telemetry", request.full_telemetry,
      "Generate every raw sample instead of what would pass the filters: slower, with the same result");
  run->callback([&] { exit_code = run_command(request); });
}

constexpr const char* kStudyFiles = "result.json, report.txt, points.csv, results.sqlite and manifest.txt";

void add_sweep(CLI::App& app, SweepRequest& request, int& exit_code) {
  CLI::App* sweep =
      add(app, "sweep", "Run a scenario at many values of its fields, under the same faults",
          "  gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20\n"
          "  gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log10 \\\n"
          "      --vary detection.hang_timeout=1min,5min,10min --precision ettr=0.002 --out sweep\n"
          "  gauntlet sweep tiny-8 --vary spares.count=0:8 --vary detection.hang_timeout=1min:1h \\\n"
          "      --design latin-hypercube --points 40");
  add_scenario(*sweep, request.scenarios.emplace_back());
  sweep
      ->add_option("--vary", request.vary,
                   "A field and its values: PATH=a,b,c or PATH=low:high[:logN|:linN], as often as needed")
      ->type_name("PATH=VALUES")
      ->allow_extra_args(false)
      ->required();
  sweep->add_option("--design", request.design, "grid: every combination; latin-hypercube: --points of them")
      ->check(CLI::IsMember({"grid", "latin-hypercube"}))
      ->capture_default_str();
  sweep->add_option("--points", request.points, "How many points a latin hypercube has")
      ->type_name("N")
      ->check(CLI::Range(1U, 100'000U));
  add_replicas(*sweep, request.replicas,
               "Replicas of every point; with --precision the most (default: the scenario's)");
  sweep
      ->add_option("--precision", request.precision,
                   "Run each point until the 95% interval of a metric's mean is +- this: METRIC=HALF-WIDTH")
      ->type_name("METRIC=X")
      ->allow_extra_args(false);
  sweep->add_option("--budget", request.budget, "Replicas in all, at most")->type_name("N");
  add_study(*sweep, request, std::string(kStudyFiles) + " and chart.html");
  sweep->callback([&] { exit_code = sweep_command(request); });
}

void add_compare(CLI::App& app, CompareRequest& request, int& exit_code) {
  CLI::App* compare =
      add(app, "compare", "Compare scenarios under the same faults, and say what makes the difference",
          "  gauntlet compare mine.toml theirs.toml\n"
          "  gauntlet compare tiny-8 --with detection.hang_timeout=5min --with spares.count=4\n"
          "  gauntlet compare llama3-405b-54d --with 'policies.checkpoint=\"young\"' --replicas 500");
  compare->add_option("scenarios", request.scenarios, "Scenario files, or the names of shipped ones")
      ->type_name("SCENARIO")
      ->required();
  compare
      ->add_option("--with", request.versions,
                   "Compare the (one) scenario with itself changed: 'PATH=VALUE PATH=VALUE', as often as "
                   "needed")
      ->type_name("CHANGES")
      ->allow_extra_args(false);
  add_replicas(*compare, request.replicas, "Replicas of each (default: those of the first scenario)");
  add_study(*compare, request, kStudyFiles);
  compare->callback([&] { exit_code = compare_command(request); });
}

void add_tune(CLI::App& app, TuneRequest& request, int& exit_code) {
  CLI::App* tune = add(
      app, "tune", "Find the values of fields that make a metric best",
      "  gauntlet tune scenarios/one-fault.toml --over checkpoint.interval\n"
      "  gauntlet tune llama3-405b-54d --over checkpoint.interval,detection.hang_timeout\n"
      "  gauntlet tune mine.toml --over checkpoint.interval=1min:2h,spares.count=0:64 --minimize cost \\\n"
      "      --subject-to 'wall_time_s.p95<60d'");
  add_scenario(*tune, request.scenarios.emplace_back());
  tune->add_option("--over", request.over, "Fields, each with its range if it is not to be the default one")
      ->type_name("PATH[=LOW:HIGH]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  CLI::Option* minimize =
      tune->add_option("--minimize", request.minimize, "A metric to make small")->type_name("METRIC");
  tune->add_option("--maximize", request.maximize, "A metric to make large (default: ettr)")
      ->type_name("METRIC")
      ->excludes(minimize);
  tune->add_option("--subject-to", request.subject_to,
                   "A bound that must hold: METRIC[.mean|.p5|.p50|.p95]<VALUE or >VALUE")
      ->type_name("BOUND")
      ->allow_extra_args(false);
  tune->add_option("--budget", request.budget, "Replicas in all, at most")
      ->type_name("N")
      ->check(CLI::Range(100U, 1'000'000'000U));
  add_study(*tune, request, std::string(kStudyFiles) + " and chart.html");
  tune->callback([&] { exit_code = tune_command(request); });
}

// What is wrong with a share of runs; a percentage is named as the share that it is.
std::string problem_of_confidence(const std::string& text) {
  constexpr double kLeast = 0.5, kMost = 0.999;
  const bool sign = text.ends_with('%');
  double number = 0;
  if (!CLI::detail::lexical_cast(sign ? text.substr(0, text.size() - 1) : text, number))
    return fmt::format("\"{}\" is not a number; write for example --confidence 0.9", text);
  const auto fits = [](double share) { return share >= kLeast && share <= kMost; };
  if (!sign && fits(number)) return "";
  std::string why = fmt::format("{} is not a share of runs between {} and {}", text, kLeast, kMost);
  const std::string share = fmt::format("{:.6g}", number / 100);
  double read = 0;
  if (CLI::detail::lexical_cast(share, read) && fits(read)) why += "; write --confidence " + share;
  return why;
}

void add_plan(CLI::App& app, PlanRequest& request, int& exit_code) {
  CLI::App* plan =
      add(app, "plan", "Say what it takes to finish by a date, and what one more of each thing buys",
          "  gauntlet plan llama3-405b-54d --tokens 10T --finish-by 60d --confidence 0.95\n"
          "  gauntlet plan mine.toml --finish-by 60d --uncertainty --out plan");
  add_scenario(*plan, request.scenarios.emplace_back());
  plan->add_option("--finish-by", request.finish_by, "Wall time by which the work shall be done")
      ->type_name("TIME")
      ->required();
  plan->add_option("--confidence", request.confidence, "Share of runs that shall be done by then")
      ->type_name("P")
      ->check(problem_of_confidence)
      ->capture_default_str();
  plan->add_option("--tokens", request.tokens, "The work, where the scenario has no job.steps: 15.6T")
      ->type_name("N");
  add_replicas(*plan, request.replicas, "Replicas of every point (default: the scenario's)");
  plan->add_flag("--uncertainty", request.uncertainty,
                 "Draw rates from the posterior of their count, and uncertain fields from their range");
  add_study(*plan, request, std::string(kStudyFiles) + " and chart.html");
  plan->callback([&] { exit_code = plan_command(request); });
}

void add_scale(CLI::App& app, ScaleRequest& request, int& exit_code) {
  CLI::App* scale = add(app, "scale", "Run a scenario at many sizes of the job",
                        "  gauntlet scale scenarios/rsc1.toml\n"
                        "  gauntlet scale llama3-405b-54d --gpus 1k:128k:log8");
  add_scenario(*scale, request.scenarios.emplace_back());
  scale
      ->add_option("--gpus", request.gpus,
                   "Sizes: LOW:HIGH:logN or a list; k is 1024 (default: a 16th of the job to 8 times it)")
      ->type_name("SIZES");
  scale->add_flag("--keep-batch", request.keep_batch,
                  "Keep the global batch (default: it grows with the job)");
  add_replicas(*scale, request.replicas, "Replicas of every size (default: the scenario's)");
  add_study(*scale, request, std::string(kStudyFiles) + " and chart.html");
  scale->callback([&] { exit_code = scale_command(request); });
}

void add_step(CLI::App& app, StepRequest& request, int& exit_code) {
  CLI::App* step = add(app, "step", "Say how long one training step takes, and where its time goes",
                       "  gauntlet step megascale-175b-12288\n"
                       "  gauntlet step megascale-175b-12288 --degrade host:17.slow=1.10 \\\n"
                       "      --trace step.json --heatmap step.svg");
  add_scenario(*step, request.scenario);
  add_sets(*step, request.sets);
  step->add_option("--degrade", request.degrade,
                   "Make a part slower, as often as needed: host:17.slow=1.10, host:17.slow.forward=1.10, "
                   "host:17.gpu:3.slow=2, host:17.stall=2s, host:17.nic:2.degrade=4, "
                   "host:17.nic:2.degrade=lost, tor:3.degrade=2, jitter=0.02")
      ->type_name("COMPONENT.WHAT=VALUE")
      ->allow_extra_args(false);
  step->add_option("--network", request.network,
                   "What says how fast communicators are (default: closed-form, or max-min where switches "
                   "narrow, hashes collide or others send)")
      ->check(CLI::IsMember(step_networks()));
  step->add_option("--ecmp", request.ecmp, "How switches choose among equal paths (max-min, simgrid)")
      ->check(CLI::IsMember({"spread", "hashed"}))
      ->capture_default_str();
  step->add_option("--beside", request.beside,
                   "Another job's transfer on the same fabric, as often as needed (max-min)")
      ->type_name("host:A-host:B")
      ->allow_extra_args(false);
  step->add_option("--storm", request.storm,
                   "A restore from storage at a host, to all of the job's (max-min)")
      ->type_name("host:A")
      ->allow_extra_args(false);
  step->add_option("--trace", request.trace, "Write a time line here, for https://ui.perfetto.dev")
      ->type_name("FILE");
  step->add_option("--heatmap", request.heatmap, "Write a map of who waits for whom here, as SVG")
      ->type_name("FILE");
  step->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  step->callback([&] { exit_code = step_command(request); });
}

void add_topology(CLI::App& app, TopologyRequest& request, int& exit_code) {
  CLI::App* topology = add(
      app, "topology", "Show the network of a scenario's cluster: switches, bandwidths, what fails together",
      "  gauntlet topology megascale-175b-12288\n"
      "  gauntlet topology tiny-8 --set cluster.network.kind=clos\n"
      "  gauntlet topology llama3-405b-54d --dot | dot -Tsvg > network.svg");
  add_scenario(*topology, request.scenario);
  add_sets(*topology, request.sets);
  topology->add_flag("--dot", request.dot, "Print it for Graphviz; what there are many of is drawn as one");
  topology->callback([&] { exit_code = topology_command(request); });
}

void add_validate_step(CLI::App& validate, ValidateStepRequest& request, int& exit_code) {
  CLI::App* step = add(validate, "step", "Hold the step model to steps that others measured and published",
                       "  gauntlet validate step\n"
                       "  gauntlet validate step --json > validation.json\n"
                       "  gauntlet validate step --data models/calibration/published.csv");
  step->add_option("--data", request.data,
                   "Rows like those of models/calibration/published.csv, in their place")
      ->type_name("FILE");
  step->add_flag("--fit", request.fit, "Find the constants of every software stack again, too");
  step->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  step->callback([&] { exit_code = validate_step_command(request); });
}

void add_validate_policies(CLI::App& validate, ValidatePoliciesRequest& request, int& exit_code) {
  CLI::App* policies =
      add(validate, "policies", "Hold policies and simulator to closed forms and to another simulator",
          "  gauntlet validate policies\n"
          "  gauntlet validate policies --quick --seed 3\n"
          "  gauntlet validate policies --only spares --json > spares.json");
  policies->add_option("--seed", request.seed, "Seed of all randomness")
      ->type_name("S")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed))
      ->capture_default_str();
  policies->add_flag("--quick", request.quick, "As few replicas as the tests run: seconds, not minutes");
  policies->add_option("--only", request.only, "Only what has this in its name: spares, crosscheck, ...")
      ->type_name("TEXT");
  policies->add_option("--threads", request.threads, "Threads; the results do not depend on them")
      ->type_name("T")
      ->check(CLI::Range(1U, kMostThreads))
      ->capture_default_str();
  policies->add_flag("--quiet", request.quiet, "Show no progress");
  policies->add_flag("--json", request.json, "Print the result as JSON, and nothing else");
  policies->callback([&] { exit_code = validate_policies_command(request); });
}

void add_validate(CLI::App& app, ValidateStepRequest& step, ValidatePoliciesRequest& policies,
                  int& exit_code) {
  CLI::App* validate =
      add(app, "validate", "Hold the models to what others measured, worked out or simulated",
          "  gauntlet validate step\n"
          "  gauntlet validate policies");
  validate->require_subcommand(1);
  add_validate_step(*validate, step, exit_code);
  add_validate_policies(*validate, policies, exit_code);
}

// What both commands of traces are told.
void add_trace_options(CLI::App& command, TraceRequest& request) {
  command
      .add_option("file", request.file,
                  "Failure records: CSV, also as .gz or .xz; or what `trace import` wrote, a .toml")
      ->type_name("FILE")
      ->required();
  command
      .add_option(
          "--format", request.format,
          "lanl: the columns of LANL's release; csv: start,end,node,cause[,system], times in ISO 8601; "
          "detect: by the columns")
      ->check(CLI::IsMember(trace_formats()))
      ->capture_default_str();
  command.add_option("--system", request.system, "Only this system")->type_name("NAME");
  command.add_option("--cause", request.cause, "Only failures of this cause")->type_name("NAME");
  command.add_option("--from", request.from, "Only failures from then on: 2003-01-01")->type_name("DATE");
  command.add_option("--until", request.until, "Only failures before then")->type_name("DATE");
  command
      .add_option("--nodes", request.nodes,
                  "How many nodes the system has, where the file does not say (default: those that failed)")
      ->type_name("N")
      ->check(CLI::Range(1U, 10'000'000U));
  command
      .add_option("--max-rejected", request.max_rejected,
                  "Share of the lines that may be no record, 0 to 1: rates are too low by as much. With more, the "
                  "command ends with exit code 2 (default: 0.01)")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 1.0));
  command.add_flag("--json", request.json, "Print the result as JSON, and nothing else");
}

void add_trace(CLI::App& app, TraceRequest& request, int& exit_code) {
  CLI::App* trace = add(app, "trace", "Turn the failure records of a real cluster into faults of a scenario",
                        "  gauntlet trace fit failures.csv.xz\n"
                        "  gauntlet trace import failures.csv --out faults.toml");
  trace->require_subcommand(1);
  CLI::App* import =
      add(*trace, "import", "Write a fault trace that a scenario can extend: what failed when, again",
          "  gauntlet trace import failures.csv --out faults.toml\n"
          "  gauntlet trace import lanl_failures.csv.xz --format lanl --system 20 \\\n"
          "      --from 2003-01-01 --until 2004-01-01 --out lanl-20-2003.toml\n"
          "  and in a scenario: extends = \"lanl-20-2003.toml\"");
  add_trace_options(*import, request);
  import->add_option("--out", request.out, "The file to write, .toml")->type_name("FILE")->required();
  import->add_flag("--force", request.force, "Replace a fault trace that is there");
  import->callback([&] { exit_code = trace_import_command(request);
});

CLI::App* fit =
    add(*trace, "fit", "Fit laws to the times between failures and to repairs, and say who fails",
        "  gauntlet trace fit failures.csv.gz --json > fit.json\n"
        "  gauntlet trace fit lanl_failures.csv.xz --system 20 --by-node\n"
        "  gauntlet trace fit lanl_failures.csv.xz --system 20 --zero-gaps minute --out lanl-20.toml\n"
        "  and in a scenario: extends = \"lanl-20.toml\"");
add_trace_options(*fit, request);
fit->add_option("--zero-gaps", request.zero_gaps,
                "Times of zero between failures, and repairs of zero: drop them, count them as a minute, or "
                "keep them")
    ->check(CLI::IsMember(trace_zero_gaps()))
    ->capture_default_str();
fit->add_flag("--by-node", request.by_node, "From a failure of a node to its next, not of the system");
CLI::Option* out =
    fit->add_option("--out", request.out, "Write a fault profile that a scenario can extend here, .toml")
        ->type_name("FILE");
fit->add_flag("--force", request.force, "Replace a fault profile that is there")->needs(out);
fit->callback([&] { exit_code = trace_fit_command(request); });
}  // namespace

void add_replay(CLI::App& app, std::string& file, bool& tell, int& exit_code) {
  CLI::App* replay = add(app, "replay", "Hold the policies to the orders in a recording",
                         "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet\n"
                         "  gauntlet replay run.gauntlet\n"
                         "  gauntlet replay run.gauntlet --tell");
  replay->add_option("file", file, "A recording of `gauntlet run --record`")->type_name("FILE")->required();
  replay->add_flag("--tell", tell, "Print what was observed and what was ordered, and hold nobody to it");
  replay->callback([&] { exit_code = replay_command(file, tell); });
}

struct ShowRequest {
  std::string scenario;
  std::vector<std::string> sets;
};

void add_scenario_commands(CLI::App& app, ShowRequest& request, std::vector<std::string>& scenarios,
                           std::string& what, int& exit_code) {
  CLI::App* check = add(app, "check", "Report every mistake in scenarios, and run nothing",
                        "  gauntlet check scenarios/*.toml\n"
                        "  gauntlet check mine.toml --set checkpoint.interval=5min");
  check->add_option("scenarios", scenarios, "Scenario files, or the names of shipped ones")
      ->type_name("SCENARIO")
      ->required();
  add_sets(*check, request.sets);
  check->callback([&] { exit_code = check_command(scenarios, request.sets); });

  CLI::App* show = add(app, "show", "Print a scenario with everything resolved, itself a scenario",
                       "  gauntlet show scenarios/llama3-405b-54d.toml\n"
                       "  gauntlet show scenarios/tiny-8.toml --set spares.count=4 > mine.toml");
  add_scenario(*show, request.scenario);
  add_sets(*show, request.sets);
  show->callback([&] { exit_code = show_command(request.scenario, request.sets); });

  CLI::App* list = add(app, "list", "List what scenarios and studies can name",
                       "  gauntlet list\n  gauntlet list policies\n  gauntlet list metrics");
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
  CLI::App* results =
      add(app, "results", "Print the figures of a result directory again",
          "  gauntlet run scenarios/tiny-8.toml --out results\n"
          "  gauntlet results results --check\n"
          "  gauntlet results results --sql 'select cause, count(*) from incident group by cause'\n"
          "  gauntlet results results --sql 'select * from metric' --csv > metrics.csv");
  results->add_option("directory", request.directory, "What --out wrote, also while it is being written")
      ->type_name("DIR")
      ->required();
  results->add_flag(
      "--check", request.check,
      "Verify that every replica's phases add up to its wall time, that the files agree, and that "
      "none was changed since it was written");
  results
      ->add_option("--sql", request.sql, "Ask the database (README.md has its tables), and print the answer")
      ->type_name("QUERY");
  CLI::Option* csv = results->add_flag("--csv", request.csv,
                                       "Print CSV: of --sql its answer, else the figures of every point");
  results->add_flag("--json", request.json, "Print JSON: of --sql its answer, else the result")
      ->excludes(csv);
  results->callback([&] { exit_code = results_command(request); });
}

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
      "written), 128 + N ended early by signal N, such as 130 by Ctrl-C (with the report of what was done).");
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

}  // namespace gauntlet
}  // namespace gauntlet

int main(int argc, char** argv) {
  gauntlet::ignore_signals_of_writes();
  const auto program = [&] { return gauntlet::guarded_program(argc, argv); };
  if (!gauntlet::started_by_mpi()) return program();
  ::setenv("NO_COLOR", "1", 0);  // mpirun lends every rank a terminal, whatever it writes to itself
  return gauntlet::with_ranks(program, gauntlet::complain);
}
