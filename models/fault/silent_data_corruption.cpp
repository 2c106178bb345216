// A GPU that computes wrong numbers and says nothing.
//
// Closed form: no line and no exit; of n of them a probe with recall r finds n r.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel silent_data_corruption() {
  return {
      .name = "silent_data_corruption",
      .area = kGpu,
      .summary = "a GPU computes wrong numbers, and nothing shows",
      .kind = {.component = ComponentKind::gpu, .effect = Effect::corrupt, .remedy = Remedy::repair},
      .source =
          "https://arxiv.org/abs/2407.21783: 6 of 419 interruptions. Assumption: nothing is logged; it "
          "is found by probes alone.",
  };
}

}  // namespace gauntlet::known_faults
