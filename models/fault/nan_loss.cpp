// Weights that became NaN: every step after it is lost.
//
// Closed form: what is lost is all since the last checkpoint before it and the time until it is noticed.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel nan_loss() {
  return {
      .name = "nan_loss",
      .area = kSoftware,
      .summary = "the loss becomes NaN, and every step after it is lost",
      .kind = {.component = ComponentKind::job,
               .effect = Effect::corrupt,
               .remedy = Remedy::restart,
               .symptoms = {.loss = kNan}},
      .source =
          "https://arxiv.org/abs/2509.16293: NaN, 148 of 55,365 incidents. Assumption: a checkpoint "
          "from before it cures it.",
  };
}

}  // namespace gauntlet::known_faults
