// The step model against published steps: every row predicted, and what must hold of the errors.
#pragma once

#include "commands/validate/step/result.hpp"
#include "core/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct Validated {
  std::optional<StepValidation> result;
  std::vector<Problem> problems;  // of the table; then there is no result
};

struct ValidationQuestion {
  std::string file;  // a table like models/calibration/published.csv; empty: that one
  bool fit = false;  // find the constants again, too
};
/// Never throws for bad input.
Validated validate_steps(const ValidationQuestion& question = {});

}  // namespace gauntlet
