// How a rank's work ends early, as exceptions: from anywhere in the training loop there is one thing to do about them.
#pragma once

#include "core/problem.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace gauntlet {

/// The environment failed us: kExitFailed.
struct Failure : std::runtime_error {
  explicit Failure(const Problem& problem) : std::runtime_error(problem.text()) {}
};

/// A peer was waited for in vain: kExitCollectiveTimeout. Says which, for what and how long.
struct CollectiveTimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gauntlet
