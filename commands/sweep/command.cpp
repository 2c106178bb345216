// gauntlet sweep: one scenario at many values of its keys.
#include "commands/sweep/command.hpp"

#include "commands/sweep/page.hpp"
#include "commands/sweep/sweep.hpp"
#include "commands/sweep/text.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"
#include "study/option_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct SweepRequest : StudyRequest {
  std::vector<std::string> vary;  // "path=1min:2h:log20" or "path=10s,30s"
  std::string design = "grid";    // or latin-hypercube
  std::uint32_t points = 0;       // of a latin hypercube
  std::optional<std::uint32_t>
      replicas;  // of every point; with a precision: at most. The scenario's, where not given
  std::vector<std::string> precision;  // "ettr=0.002": half-width of the 95% interval of a mean
  std::string budget;                  // "20000": replicas in all; empty: no bound
};

// Ten points a field: Loeppky, Sacks, Welch, "Choosing the Sample Size of a Computer Experiment", Technometrics 51(4), 2009,
// https://doi.org/10.1198/TECH.2009.08040.
constexpr std::uint32_t kPointsPerField = 10;

struct Prepared {
  SweepPlan plan;
  ReplicaTerms terms;
  std::vector<std::shared_ptr<const Point>> points;
  std::vector<Problem> problems;  // then the rest does not count
};

void plan_grid(const SweepRequest& request, Prepared& prepared) {
  if (request.points > 0)
    prepared.problems.push_back(
        option_problem("--points", std::to_string(request.points), "is for a Latin hypercube",
                       "a grid has every combination; or add --design latin-hypercube"));
  if (!grid_size(prepared.plan.axes))
    prepared.problems.push_back(option_problem(
        "--vary", "", fmt::format("these values have more than {} combinations", kMostPoints),
        "ask for fewer values, or take some of them with --design latin-hypercube --points N"));
  if (prepared.problems.empty()) prepared.plan.points = grid(prepared.plan.axes);
}

void plan_hypercube(const SweepRequest& request, std::uint64_t seed, Prepared& prepared) {
  for (const Axis& axis : prepared.plan.axes)
    if (axis.range && axis.counted)
      prepared.problems.push_back(
          option_problem("--vary", axis.path, "says how many values there are",
                         "write :log or :lin alone: a Latin hypercube has --points N of them"));
  const auto fields = static_cast<std::uint32_t>(prepared.plan.axes.size());
  const std::uint32_t points = request.points > 0 ? request.points : kPointsPerField * fields;
  if (prepared.problems.empty()) prepared.plan.points = latin_hypercube(prepared.plan.axes, points, seed);
}

void read_terms(const SweepRequest& request, const Point& base, Prepared& prepared) {
  ReplicaTerms& terms = prepared.terms;
  for (const std::string& text : request.precision) {
    ParsedPrecision parsed = parse_precision(text, base.facts);
    if (parsed.goal && std::ranges::any_of(terms.precision, [&](const PrecisionGoal& goal) {
          return goal.metric == parsed.goal->metric;
        }))
      parsed.problem = option_problem("--precision", parsed.goal->metric, "is given twice", "say it once");
    if (parsed.goal) terms.precision.push_back(std::move(*parsed.goal));
    if (!parsed.note.empty()) prepared.plan.notes.push_back(std::move(parsed.note));
    if (parsed.problem) prepared.problems.push_back(std::move(*parsed.problem));
  }
  if (!request.budget.empty()) {
    ParsedBudget parsed = parse_budget(request.budget);
    terms.budget = parsed.budget;
    if (parsed.problem) prepared.problems.push_back(std::move(*parsed.problem));
  }
  const bool until_done = !terms.precision.empty() || terms.budget;
  terms.replicas = request.replicas.value_or(until_done ? kMostReplicas : base.scenario.study.replicas);
}

Prepared prepare(const SweepRequest& request, const PointSource& source, std::uint64_t seed) {
  Prepared prepared;
  LoadedPoint base = source.point();
  if (!base.point) {
    prepared.problems = std::move(base.problems);
    return prepared;
  }
  read_terms(request, *base.point, prepared);
  ParsedAxes parsed = parse_axes(request.vary, source.resolved());
  prepared.plan.axes = std::move(parsed.axes);
  prepared.plan.design = request.design;
  std::ranges::move(parsed.problems, std::back_inserter(prepared.problems));
  for (const Axis& axis : prepared.plan.axes)
    if (std::ranges::any_of(request.sets,
                            [&](const std::string& set) { return set.starts_with(axis.path + "="); }))
      prepared.problems.push_back(
          option_problem("--vary", axis.path, "is given a value by --set too", "leave one of the two out"));
  if (!prepared.problems.empty()) return prepared;
  if (request.design == "grid") {
    plan_grid(request, prepared);
  } else {
    plan_hypercube(request, seed, prepared);
  }
  const std::uint64_t points = prepared.plan.points.size();
  if (prepared.terms.budget && *prepared.terms.budget < points)
    prepared.problems.push_back(option_problem(
        "--budget", request.budget, fmt::format("is less than one replica for each of {} points", points),
        fmt::format("allow {} or more", points)));
  if (!prepared.problems.empty()) return prepared;
  LoadedPoints loaded = load_points(source, prepared.plan);
  prepared.points = std::move(loaded.points);
  prepared.problems = std::move(loaded.problems);
  return prepared;
}

std::string command_of(const SweepRequest& request, const Prepared& prepared, std::uint64_t seed) {
  CommandLine line("gauntlet sweep", request.scenarios.front());
  line.option("--vary", request.vary);
  if (request.design != "grid") line.option("--design", request.design);
  if (request.points > 0) line.number("--points", std::optional(request.points));
  line.option("--precision", request.precision).option("--budget", request.budget);
  const bool said = request.replicas || (request.precision.empty() && request.budget.empty());
  if (said) line.number("--replicas", std::optional(prepared.terms.replicas));
  return line.text() + common_arguments(request, seed);
}

int sweep_command(const SweepRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const PointSource source(scenario, request.sets, request.seed, request.means());
  const std::uint64_t seed = source.seed();
  const Prepared prepared = prepare(request, source, seed);
  if (!prepared.problems.empty()) return wrong_input(prepared.problems);
  const std::string command = command_of(request, prepared, seed);
  const auto bench = Workbench::open("sweep", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(source.resolved());
  const SweepResult result = sweep(bench->experiment(), prepared.plan, prepared.points, prepared.terms);
  Workbench::Output output;
  if (result.best) output = output_of(result, bench->forms(), command, faults);

  return bench->finish(std::move(output));
}

void add_sweep_options(Command& sweep) {
  const auto request = std::make_shared<SweepRequest>();
  add_scenario(sweep, request->scenarios.emplace_back());
  sweep
      .value("--vary", request->vary,
             "A key and its values: PATH=a,b,c or PATH=low:high[:logN|:linN]; can be repeated")
      .type_name("PATH=VALUES")
      .one_value_each()
      .required();
  sweep
      .value("--design", request->design,
             "grid: all combinations of the values; latin-hypercube: as many combinations as --points states")
      .one_of({"grid", "latin-hypercube"})
      .shows_default();
  sweep.value("--points", request->points, "Number of points of a latin hypercube")
      .type_name("N")
      .between(1, 100'000);
  add_replicas(sweep, request->replicas,
               "Replicas of every point; with --precision the maximum (default: the scenario's)");
  sweep
      .value("--precision", request->precision,
             "Run each point until the half-width of the 95% interval of a metric's mean is at most this: "
             "METRIC=HALF-WIDTH; without METRIC= of ETTR")
      .type_name("[METRIC=]X")
      .one_value_each();
  sweep.value("--budget", request->budget, "Maximum number of replicas in total").type_name("N");
  add_study(sweep, *request, std::string(kStudyFiles) + ", scenario.toml");
  sweep.runs([request] { return sweep_command(*request); });
}

}  // namespace

void add_sweep(Program& program) {
  program.command("sweep", "Run a scenario at many values of its keys, under the same faults",
                  "  gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log20\n"
                  "  gauntlet sweep llama3-405b-54d --vary checkpoint.interval=1min:2h:log10 \\\n"
                  "      --vary detection.hang_timeout=1min,5min,10min --precision ettr=0.002 --out sweep\n"
                  "  gauntlet sweep tiny-8 --vary spares.count=0:8 --vary detection.hang_timeout=1min:1h \\\n"
                  "      --design latin-hypercube --points 40",
                  add_sweep_options);
}

}  // namespace gauntlet
