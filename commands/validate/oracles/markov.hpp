// Finite Markov chains in continuous time.
#pragma once

#include <cstddef>
#include <vector>

namespace gauntlet {

/// From one state to another, at a rate in 1 / time.
struct Transition {
  std::size_t from = 0, to = 0;
  double rate = 0;
};

/// The share of the time that an irreducible chain spends in each of its states: pi Q = 0 with sum(pi) = 1.
std::vector<double> stationary_distribution(std::size_t states, const std::vector<Transition>& transitions);

}  // namespace gauntlet
