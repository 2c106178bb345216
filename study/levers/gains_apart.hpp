// Whether one gain is certainly above another one that is over another number of replicas.
#pragma once

#include "study/levers/measures.hpp"

namespace gauntlet {

/// Each gain is second - first, over all replicas of its lever. One test has to say that the better gain is above the middle between
/// both, and one that the other gain is below it, each at half of `level`. Where the order is wrong, one of the two answers is wrong,
/// wherever the middle is. So a wrong order is said with the probability `level` at most.
bool are_gains_apart(const ComparedPair& better, const ComparedPair& other, double level);

}  // namespace gauntlet
