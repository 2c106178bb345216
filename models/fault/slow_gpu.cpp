// A GPU that computes slower than its peers and stays so.
//
// Closed form: in a gang the slowest sets the pace, so that the step's compute takes 1.2 times as long from the first slow
// GPU on, and no longer with the second.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel slow_gpu() {
  return {
      .name = "slow_gpu",
      .area = kGpu,
      .summary = "a GPU that is persistently 20% slower than its peers",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::slow,
               .factor = 1.2,
               .remedy = Remedy::repair},
      .source = "https://www.usenix.org/conference/atc25/presentation/wu-tianyuan: a GPU that is 20% slower.",
  };
}

}  // namespace gauntlet::known_faults
