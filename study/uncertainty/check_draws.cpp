#include "study/uncertainty/check_draws.hpp"

#include "core/math/log_t.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

/// A value that nobody wrote has the place of study.uncertain, which draws it.
Problem placed(Problem problem, const Value* said) {
  const bool drawn = problem.file == "--set";
  problem = as_problem_of(std::move(problem), "study.uncertain");
  if (!drawn || said == nullptr || said->at.kind != Origin::Kind::file || !said->at.file) return problem;
  problem.file = *said->at.file;
  problem.line = said->at.line;
  problem.column = said->at.column;
  return problem;
}

/// Of one setting or many; empty where they make a scenario.
std::vector<Problem> problems_of(const PointSource& source, const Settings& settings) {
  LoadedPoint loaded = source.point(settings);
  if (loaded.point) return {};
  for (Problem& problem : loaded.problems) {
    problem.why += " (in a draw of study.uncertain: " + settings_text(settings) + ")";
    problem = placed(std::move(problem), source.resolved().find("study.uncertain"));
  }
  return std::move(loaded.problems);
}

/// The values that a plan tries of one unknown alone: its ends as they were written, and those beyond which no draw goes.
std::vector<std::string> ends_of(const Unknown& unknown) {
  std::vector<std::string> ends = {unknown.shown.low, unknown.shown.high};
  const bool log_t = unknown.shape == Unknown::Shape::log_t;
  if (!log_t && unknown.shape != Unknown::Shape::uniform) return ends;
  const double outside = log_t ? LogT::kCutOff : 0;
  ends.push_back(unknown.text_at(outside));
  ends.push_back(unknown.text_at(1 - outside));
  return ends;
}

}  // namespace

std::vector<Problem> check_draws(const PointSource& source, std::uint64_t seed) {
  const LoadedPoint base = source.point();
  if (!base.point) return base.problems;
  const Scenario& scenario = base.point->scenario;
  if (scenario.study.uncertain.empty()) return {};
  const std::vector<Unknown> unknowns = unknowns_of(scenario, source.resolved());
  std::vector<Problem> problems;
  for (const Unknown& unknown : unknowns) {
    const auto& said = scenario.study.uncertain;
    if (std::none_of(said.begin(), said.end(), [&](const auto& field) { return field.path == unknown.path; }))
      continue;
    for (const std::string& end : ends_of(unknown)) {
      std::vector<Problem> found = problems_of(source, {{unknown.path, end}});
      if (found.empty()) continue;
      problems.push_back(std::move(found.front()));
      break;
    }
  }
  for (std::uint32_t draw = 0; draw < UncertaintyOptions{}.draws && problems.empty(); ++draw)
    problems = problems_of(source, draw_of(unknowns, seed, draw));
  return problems;
}

}  // namespace gauntlet
