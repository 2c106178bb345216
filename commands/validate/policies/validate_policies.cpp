#include "commands/validate/policies/validate_policies.hpp"

#include "commands/validate/oracles/measure.hpp"
#include "commands/validate/policies/crosschecks.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace gauntlet {
namespace {

bool asked_for(const PolicyQuestion& question, const std::string& subject) {
  return subject.find(question.only) != std::string::npos;
}

/// What cannot be measured, and why.
void add_failed(std::span<const PublishedFigure> figures, const std::vector<Problem>& problems,
                PolicyValidation& result) {
  std::string why;
  for (const Problem& problem : problems) why += (why.empty() ? "" : "; ") + problem.text();
  for (const PublishedFigure& figure : figures)
    result.checks.push_back({.subject = figure.scenario,
                             .conventions = {},
                             .figure = figure.what,
                             .unit = figure.unit,
                             .expected = figure.expected,
                             .source = {},
                             .published = figure.printed,
                             .replicas = 0,
                             .measured = {},
                             .error = {},
                             .bound = figure.bound,
                             .problem = why});
}

}  // namespace

PolicyValidation validate_policies(const PolicyQuestion& question) {
  PolicyValidation result{.version = GAUNTLET_VERSION,
                          .seed = question.seed,
                          .quick = question.quick,
                          .interrupted = false,
                          .checks = {}};
  const auto add = [&](const Oracle& oracle) {
    std::vector<PolicyCheck> some = check(oracle, {.seed = question.seed,
                                                   .replicas = question.quick ? oracle.few : oracle.many,
                                                   .threads = question.threads,
                                                   .stop = question.stop,
                                                   .progress = question.progress});
    result.interrupted = some.empty();
    std::ranges::move(some, std::back_inserter(result.checks));
    return !result.interrupted;
  };
  for (const Oracle& oracle : policy_oracles())
    if (asked_for(question, oracle.name) && !add(oracle)) return result;
  for (const auto figures : by_scenario(published_figures())) {
    if (!asked_for(question, figures.front().scenario)) continue;
    const CrossCheck cross = cross_check(figures);
    if (!cross.oracle)
      add_failed(figures, cross.problems, result);
    else if (!add(*cross.oracle))
      return result;
  }
  return result;
}

}  // namespace gauntlet
