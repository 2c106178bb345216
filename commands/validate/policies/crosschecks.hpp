// What other simulators publish of a job that a shipped scenario describes.
//
// One row is one figure: the scenario, what measures it, what was published, and how near it must be.
#pragma once

#include "commands/validate/oracles/oracle.hpp"
#include "core/problem.hpp"
#include "score/figures.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

class Simulation;

/// Another simulator.
struct Elsewhere {
  const char* source;
  std::uint32_t few, many;  // replicas of ours: of a test, and of the whole answer
};

struct PublishedFigure {
  const Elsewhere* by;
  const char* scenario;                                           // "crosscheck/airesim-default"
  const char* what;                                               // "hours of training"
  Fraction (*of)(const Simulation& ran, const Figures& figures);  // in `unit`
  const char* unit;
  double expected;
  std::optional<double> printed;  // where `expected` is what that simulator converges to
  PolicyBound bound;
};

/// Those of one scenario are neighbours.
std::span<const PublishedFigure> published_figures();

/// The figures of one scenario as an oracle.
struct CrossCheck {
  std::optional<Oracle> oracle;
  std::vector<Problem> problems;  // of the scenario; then there is no oracle
};
CrossCheck cross_check(std::span<const PublishedFigure> figures);

/// The figures of each scenario.
std::vector<std::span<const PublishedFigure>> by_scenario(std::span<const PublishedFigure> figures);

}  // namespace gauntlet
