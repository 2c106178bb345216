// Two large flows of a host that hash onto one path, and stay there as long as they last.
//
// Closed form: two flows on one link have half of it each, until a start of the job draws new ports.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel ecmp_collision() {
  return {
      .name = "ecmp_collision",
      .area = kNetwork,
      .summary = "two large flows of a host share one path until the job is started anew",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::degrade,
               .factor = 2,
               .remedy = Remedy::restart},
      .source =
          "Assumption: two flows on one link, and new ports with every start of the job; no rates or "
          "sizes are published.",
  };
}

}  // namespace gauntlet::known_faults
