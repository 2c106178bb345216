// gauntlet compare: several scenarios, or several versions of one, under the same faults.
#include "commands/compare/command.hpp"

#include "commands/compare/answer.hpp"
#include "commands/compare/changes.hpp"
#include "commands/compare/compare.hpp"
#include "commands/compare/page.hpp"
#include "commands/compare/text.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"
#include "study/vary.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct CompareRequest : StudyRequest {
  std::optional<std::uint32_t> replicas;
  std::vector<std::string> versions;  // "--with 'path=value path=value'": variants of the one scenario
};

Problem problem_of(std::string what, std::string why, std::string suggestion) {
  return {.file = "", .what = std::move(what), .why = std::move(why), .suggestion = std::move(suggestion)};
}

std::optional<Problem> problem_of(const CompareRequest& request) {
  if (request.scenarios.size() > 1 && !request.versions.empty())
    return problem_of("--with",
                      fmt::format("changes one scenario, and there are {}", request.scenarios.size()),
                      "name one scenario, or write the changes into a file that extends it");
  if (request.scenarios.size() < 2 && request.versions.empty())
    return problem_of("", "one scenario alone compares with nothing",
                      "name another one, or change it: --with 'checkpoint.interval=5min'");
  return std::nullopt;
}

// A scenario that is compared: which source it is made from, and with what changes.
struct Version {
  std::size_t source = 0;
  Settings settings;
  std::string label;
};

std::optional<std::vector<Version>> versions_of(const CompareRequest& request) {
  std::vector<Version> versions;
  for (std::size_t i = 0; i < request.scenarios.size(); ++i)
    versions.push_back({.source = i, .settings = {}, .label = request.scenarios[i]});
  std::vector<Problem> problems;
  for (const std::string& text : request.versions) {
    ParsedChanges changes = parse_changes(text, "--with");
    if (changes.problem) problems.push_back(*changes.problem);
    std::string label = settings_text(changes.settings);
    versions.push_back({.source = 0, .settings = std::move(changes.settings), .label = std::move(label)});
  }
  if (problems.empty()) return versions;
  print_problems(problems);
  return std::nullopt;
}

std::string command_of(const CompareRequest& request, std::uint64_t seed) {
  CommandLine line("gauntlet compare");
  for (const std::string& scenario : request.scenarios) line.operand(scenario);
  return line.option("--with", request.versions).number("--replicas", request.replicas).text() +
         common_arguments(request, seed);
}

std::string run_command_of(const CompareRequest& request, const Version& version, std::uint64_t seed) {
  CommandLine line(CommandLine("gauntlet run", request.scenarios[version.source]).text() +
                   common_arguments(request, seed));
  for (const Setting& setting : version.settings) line.option("--set", setting.path + "=" + setting.value);
  return line.text();
}

// The points, or nothing where one has mistakes: said which.
std::optional<std::vector<std::shared_ptr<const Point>>> load(const std::vector<Version>& versions,
                                                              const std::vector<PointSource>& sources) {
  std::vector<std::shared_ptr<const Point>> points;
  std::vector<Problem> problems;
  for (const Version& version : versions) {
    LoadedPoint loaded = sources[version.source].point(version.settings, version.label);
    for (const Problem& problem : loaded.problems)
      problems.push_back(version.settings.empty() ? problem : as_problem_of(problem, "--with"));
    points.push_back(std::move(loaded.point));
  }
  if (problems.empty()) return points;
  print_problems(problems);
  return std::nullopt;
}

// The scenarios as they are compared, so that a study knows them all, with every fault kind that any of them has.
std::vector<PointSource> compared_sources(const CompareRequest& request, const std::vector<Version>& versions,
                                          std::uint64_t seed) {
  std::vector<PointSource> sources;
  for (const Version& version : versions) {
    std::vector<std::string> sets = request.sets;
    for (const Setting& setting : version.settings) sets.push_back(setting.path + "=" + setting.value);
    sources.emplace_back(request.scenarios[version.source], std::move(sets), seed, request.means());
  }
  return sources;
}

// Which file brings which faults, by scenario; --with changes the one that there is.
std::vector<std::string> inherited_faults_of(const std::vector<PointSource>& scenarios) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    for (const std::string& line : inherited_faults(scenarios[i].resolved()))
      all.push_back(scenarios.size() > 1 ? fmt::format("{} has {}", scenario_letter(i), line) : line);
  return all;
}

// What of the other scenarios' own studies does not hold here.
std::vector<std::string> notes_of(const CompareRequest& request,
                                  const std::vector<std::shared_ptr<const Point>>& points) {
  std::vector<std::string> notes;
  const StudyDefaults& first = points[0]->scenario.study;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const StudyDefaults& own = points[i]->scenario.study;
    if (!request.seed && own.seed != first.seed)
      notes.push_back(
          fmt::format("{} has the seed {} of its own; all run with that of A, {}, so that they meet the "
                      "same faults.",
                      scenario_letter(i), own.seed, first.seed));
    if (!request.replicas && own.replicas != first.replicas)
      notes.push_back(fmt::format("{} has {} replicas of its own; all run as many as A, {}.",
                                  scenario_letter(i), own.replicas, first.replicas));
  }
  return notes;
}

int compare_command(const CompareRequest& request) {
  if (const auto problem = problem_of(request)) return wrong_input(*problem);
  const auto versions = versions_of(request);
  if (!versions) return kWrongInput;
  std::vector<PointSource> sources;
  for (const std::string& scenario : request.scenarios)
    sources.emplace_back(scenario, request.sets, sources.empty() ? request.seed : sources.front().seed(),
                         request.means());
  const std::uint64_t seed = sources.front().seed();
  const auto points = load(*versions, sources);
  if (!points) return kWrongInput;
  const std::uint32_t replicas = request.replicas.value_or(points->front()->scenario.study.replicas);
  const std::string again = command_of(request, seed);
  const auto bench = Workbench::open("compare", request, compared_sources(request, *versions, seed), again);
  if (!bench) return kWrongInput;

  std::vector<ComparedPoint> compared;
  for (std::size_t i = 0; i < points->size(); ++i)
    compared.push_back({.point = bench->experiment().add((*points)[i]),
                        .label = (*versions)[i].label,
                        .command = run_command_of(request, (*versions)[i], seed),
                        .settings = (*versions)[i].settings});
  CompareResult result = compare(bench->experiment(), compared, replicas, seed);
  const std::vector<std::string> notes = notes_of(request, *points);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return bench->finish(output_of(result, bench->forms(), again, inherited_faults_of(sources)));
}

void add_compare_options(Command& compare) {
  const auto request = std::make_shared<CompareRequest>();
  add_scenarios(compare, request->scenarios);
  compare
      .value(
          "--with", request->versions,
          "Changes that make a variant of the scenario, such as 'spares.count=4 checkpoint.interval=5min'; "
          "can be repeated. Needs exactly one scenario")
      .type_name("CHANGES")
      .one_value_each();
  add_replicas(compare, request->replicas, "Replicas of each scenario (default: those of the first one)");
  add_study(compare, *request, kStudyFiles);
  compare.runs([request] { return compare_command(*request); });
}

}  // namespace

void add_compare(Program& program) {
  program.command("compare",
                  "Compare scenarios under the same faults, and show which faults make the difference",
                  "  gauntlet compare mine.toml theirs.toml\n"
                  "  gauntlet compare tiny-8 --with detection.hang_timeout=5min --with spares.count=4\n"
                  "  gauntlet compare llama3-405b-54d --with 'policies.checkpoint=\"young\"' --replicas 500",
                  add_compare_options);
}

}  // namespace gauntlet
