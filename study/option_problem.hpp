// A problem with an option of a command, in the one form of a message to a user.
#pragma once

#include "core/problem.hpp"

#include <string>
#include <utility>

namespace gauntlet {

/// `--budget: "x" is not a number of replicas; write --budget 20000`. `option` is empty where none says it.
inline Problem option_problem(std::string option, std::string what, std::string why,
                              std::string suggestion = {}) {
  return {.file = std::move(option),
          .what = std::move(what),
          .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

}  // namespace gauntlet
