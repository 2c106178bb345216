// The constants of software stacks, found again from the published steps.
#pragma once

#include "commands/validate/step/result.hpp"
#include "models/calibration/published.hpp"
#include "models/hardware.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace gauntlet {

/// How many constants of a stack were fitted.
std::uint32_t fitted_constants(std::string_view stack);

/// For each stack with fitted rows the constants that come nearest to them, beside those it has. The search starts at the
/// same round numbers for every stack and knows nothing of the constants it has, but for those that were not fitted and for
/// the micro-batches that were not published (models/step/prediction.hpp). Deterministic.
std::vector<FittedStack> fit_stacks(std::span<const PublishedStep> rows,
                                    const std::function<const Hardware&(const PublishedStep&)>& hardware);

}  // namespace gauntlet
