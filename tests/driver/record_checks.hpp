// What must hold of the record of a drill that is over.
#pragma once

#include "core/record/record.hpp"
#include "policies/constants.hpp"

#include <string>

namespace gauntlet {

/// What does not hold, or nothing: every order has exactly one outcome, but for those that the end overtook; time does not
/// run backwards; the policies give the same orders again. `longest`: that an order may take at the end.
std::string problem_of_record(const Record& record, const PolicyConstants& policies, Duration longest);

}  // namespace gauntlet
