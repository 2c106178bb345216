// Fields whose value is uncertain: a scenario gives two values and the shape of the distribution between them.
#pragma once

#include "config/fields/fields.hpp"
#include "config/fields/scenario_parts.hpp"

#include <vector>

namespace gauntlet {

/// [ { path = "repair.time.median", low = "4h", high = "16h", shape = "lognormal" } ]; of shape = "log-t" also degrees = 4
Type uncertain_fields(std::vector<UncertainField>& into);

/// Leaves out those whose value was given above them: by --set, or by a file that extends theirs. It is known now.
void forget_replaced(const Place& root, std::vector<UncertainField>& fields);

/// Each names a value of the scenario, of the same kind as its ends; none is named twice.
void check_uncertain(const Place& root, const std::vector<UncertainField>& fields);

}  // namespace gauntlet
