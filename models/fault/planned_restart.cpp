// People want the job stopped: new hyper-parameters, new code, new data.
//
// Closed form: k of them in a window cost k times the hold of 10 min, and k restarts.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel planned_restart() {
  return {
      .name = "planned_restart",
      .area = kSoftware,
      .summary = "people stop the job to change code, data or hyper-parameters",
      .kind = {.component = ComponentKind::job,
               .effect = Effect::planned,
               .heals_after = Law::constant(10 * kMinute),
               .remedy = Remedy::restart},
      .source =
          "https://arxiv.org/abs/2407.21783: 47 of 466 interruptions; "
          "https://arxiv.org/abs/2509.16293: 9,582 of 55,365. Assumption: 10 min for the change "
          "itself; nothing is published of it.",
  };
}

}  // namespace gauntlet::known_faults
