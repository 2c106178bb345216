// How far a sample is from a law.
#pragma once

#include "commands/trace/fit/durations.hpp"
#include "core/random/law.hpp"

#include <optional>

namespace gauntlet {

struct Distances {
  double kolmogorov_smirnov = 0;  // sup |F_n - F|, 0 to 1
  std::optional<double>
      anderson_darling;  // A^2; nothing where it is infinite: a value that the law does not give
};

/// Of a sample that is not empty. Anderson & Darling, "A test of goodness of fit", J. Am. Stat. Assoc. 49, 1954, in the form of
/// their eq. 2.2, with ties taken together.
Distances distances_of(const Durations& sample, const Law& law);

}  // namespace gauntlet
