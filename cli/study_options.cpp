// The options of the commands that run replicas.
#include "cli/options.hpp"
#include "study/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>
#include <string>

namespace gauntlet {

CLI::App* add(CLI::App& app, const char* name, const char* what, const char* examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer(std::string("Examples:\n") + examples);
  return command;
}

// One value each time, so that a scenario may follow: `--set a=1 x.toml`.
void add_sets(CLI::App& command, std::vector<std::string>& sets) {
  command.add_option("--set", sets, "Change a value of the scenario: path=value; can be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

CLI::Option* add_scenario(CLI::App& command, std::string& scenario) {
  return command.add_option("scenario", scenario, "A scenario file, or the name of a shipped one")
      ->type_name("SCENARIO")
      ->required();
}

namespace {

constexpr const char* kStudyFiles = "result.json, report.txt, points.csv, results.sqlite and manifest.txt";

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
  CLI::Option* force = command.add_flag("--force", request.force, "Replace the directory if it exists");
  command
      .add_flag("--resume", request.resume,
                "Continue the study in --out: unfinished, or with more replicas than before")
      ->needs(out)
      ->excludes(force);
  command
      .add_option("--incidents", request.incidents,
                  "Keep the incidents of the first N replicas of each point (default: 100 for run, 1 for "
                  "other studies)")
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

}  // namespace

void add_run(CLI::App& app, RunRequest& request, int& exit_code) {
  CLI::App* run = add(app, "run", "Run a scenario and report what its faults cost",
                      "  gauntlet run scenarios/tiny-8.toml\n"
                      "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200 --seed 1 --out results\n"
                      "  gauntlet run scenarios/tiny-8.toml --set checkpoint.interval=5min --json\n"
                      "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet");
  add_scenario(*run, request.scenarios.emplace_back());
  CLI::Option* replicas =
      add_replicas(*run, request.replicas,
                   fmt::format("Number of replicas, {} at most (default: the scenario's)", kMostReplicas));
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
      "Generate every raw sample, not only those that pass the filters: slower, with the same result");
  run->callback([&] { exit_code = run_command(request); });
}

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
                   "A field and its values: PATH=a,b,c or PATH=low:high[:logN|:linN]; can be repeated")
      ->type_name("PATH=VALUES")
      ->allow_extra_args(false)
      ->required();
  sweep->add_option("--design", request.design, "grid: every combination; latin-hypercube: --points of them")
      ->check(CLI::IsMember({"grid", "latin-hypercube"}))
      ->capture_default_str();
  sweep->add_option("--points", request.points, "Number of points of a latin hypercube")
      ->type_name("N")
      ->check(CLI::Range(1U, 100'000U));
  add_replicas(*sweep, request.replicas,
               "Replicas of every point; with --precision the maximum (default: the scenario's)");
  sweep
      ->add_option("--precision", request.precision,
                   "Run each point until the 95% interval of a metric's mean is as narrow: METRIC=HALF-WIDTH")
      ->type_name("METRIC=X")
      ->allow_extra_args(false);
  sweep->add_option("--budget", request.budget, "Maximum number of replicas in total")->type_name("N");
  add_study(*sweep, request, std::string(kStudyFiles) + " and chart.html");
  sweep->callback([&] { exit_code = sweep_command(request); });
}

void add_compare(CLI::App& app, CompareRequest& request, int& exit_code) {
  CLI::App* compare = add(
      app, "compare", "Compare scenarios under the same faults, and show which faults make the difference",
      "  gauntlet compare mine.toml theirs.toml\n"
      "  gauntlet compare tiny-8 --with detection.hang_timeout=5min --with spares.count=4\n"
      "  gauntlet compare llama3-405b-54d --with 'policies.checkpoint=\"young\"' --replicas 500");
  compare->add_option("scenarios", request.scenarios, "Scenario files, or the names of shipped ones")
      ->type_name("SCENARIO")
      ->required();
  compare
      ->add_option("--with", request.versions,
                   "A variant of the one scenario: 'PATH=VALUE PATH=VALUE'; can be repeated")
      ->type_name("CHANGES")
      ->allow_extra_args(false);
  add_replicas(*compare, request.replicas, "Replicas of each scenario (default: those of the first one)");
  add_study(*compare, request, kStudyFiles);
  compare->callback([&] { exit_code = compare_command(request); });
}

void add_tune(CLI::App& app, TuneRequest& request, int& exit_code) {
  CLI::App* tune = add(
      app, "tune", "Find the best values of fields for a metric",
      "  gauntlet tune scenarios/one-fault.toml --over checkpoint.interval\n"
      "  gauntlet tune llama3-405b-54d --over checkpoint.interval,detection.hang_timeout\n"
      "  gauntlet tune mine.toml --over checkpoint.interval=1min:2h,spares.count=0:64 --minimize cost \\\n"
      "      --subject-to 'wall_time_s.p95<60d'");
  add_scenario(*tune, request.scenarios.emplace_back());
  tune->add_option("--over", request.over,
                   "Fields, each with a range in place of its default one where wanted")
      ->type_name("PATH[=LOW:HIGH]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  CLI::Option* minimize =
      tune->add_option("--minimize", request.minimize, "The metric to minimize")->type_name("METRIC");
  tune->add_option("--maximize", request.maximize, "The metric to maximize (default: ettr)")
      ->type_name("METRIC")
      ->excludes(minimize);
  tune->add_option("--subject-to", request.subject_to,
                   "A bound that must hold: METRIC[.mean|.p5|.p50|.p95]<VALUE or >VALUE")
      ->type_name("BOUND")
      ->allow_extra_args(false);
  tune->add_option("--budget", request.budget, "Maximum number of replicas in total")
      ->type_name("N")
      ->check(CLI::Range(100U, 1'000'000'000U));
  add_study(*tune, request, std::string(kStudyFiles) + " and chart.html");
  tune->callback([&] { exit_code = tune_command(request); });
}

namespace {

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

}  // namespace

void add_plan(CLI::App& app, PlanRequest& request, int& exit_code) {
  CLI::App* plan =
      add(app, "plan", "Show what it takes to finish by a date, and what one more of each resource saves",
          "  gauntlet plan llama3-405b-54d --tokens 10T --finish-by 60d --confidence 0.95\n"
          "  gauntlet plan mine.toml --finish-by 60d --uncertainty --out plan");
  add_scenario(*plan, request.scenarios.emplace_back());
  plan->add_option("--finish-by", request.finish_by, "Wall time by which the work must be done")
      ->type_name("TIME")
      ->required();
  plan->add_option("--confidence", request.confidence, "Share of runs that must be done by then")
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
                   "Sizes: LOW:HIGH:logN or a list; k is 1024 (default: 1/16 of the job to 8 times the job)")
      ->type_name("SIZES");
  scale->add_flag("--keep-batch", request.keep_batch,
                  "Keep the global batch (default: it grows with the job)");
  add_replicas(*scale, request.replicas, "Replicas of every size (default: the scenario's)");
  add_study(*scale, request, std::string(kStudyFiles) + " and chart.html");
  scale->callback([&] { exit_code = scale_command(request); });
}

}  // namespace gauntlet
