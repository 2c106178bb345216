// The constants of the software stacks against a search from scratch.
#include "commands/validate/step/validate.hpp"
#include "models/calibration/calibration.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

// No search from scratch finds constants that are clearly nearer to the rows.
TEST(Validation, TheConstantsAreWhatTheFitFinds) {
  const Validated validated = validate_steps({.file = "", .fit = true});
  ASSERT_TRUE(validated.result);
  ASSERT_EQ(validated.result->fits.size(), calibrations().size());
  for (const FittedStack& fit : validated.result->fits)
    EXPECT_LE(fit.shipped_error, 1.02 * fit.found_error + 1e-3) << fit.stack;
}

}  // namespace
}  // namespace gauntlet
