// A loss that jumps up and comes down again.
//
// Closed form: spiking for the share m / (M + m) of the time, m = 10 min; a training loss that scatters normally is 12
// standard deviations above its median with probability 1.8e-33.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel loss_spike() {
  return {
      .name = "loss_spike",
      .area = kSoftware,
      .summary = "the loss jumps up and comes down by itself",
      .kind = {.component = ComponentKind::job,
               .effect = Effect::none,
               .heals_after = Law::exponential(10 * kMinute),
               .remedy = Remedy::restart,
               .symptoms = {.loss = 12}},
      .source =
          "https://arxiv.org/abs/2509.16293 watches for 5 times the loss. Assumption: 12 standard "
          "deviations, and 10 min.",
  };
}

}  // namespace gauntlet::known_faults
