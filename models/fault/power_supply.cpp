// A host whose power supply failed.
//
// Closed form: as host_crash.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel power_supply() {
  return {
      .name = "power_supply",
      .area = kHost,
      .summary = "a host's power supply fails",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.heartbeat_lost = true}},
      .source = "https://arxiv.org/abs/2407.21783: 3 of 419 interruptions. Assumption: nothing is logged.",
  };
}

}  // namespace gauntlet::known_faults
