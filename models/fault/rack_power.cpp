// A rack without power: all of its hosts at once.
//
// Closed forms: concerns all hosts of one rack; back after 276 min x exp(1.217^2 / 2) = 579 min in the mean (572 were
// measured).
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel rack_power() {
  return {
      .name = "rack_power",
      .area = kHost,
      .summary = "a rack loses power, and all of its hosts with it",
      .kind = {.component = ComponentKind::rack,
               .effect = Effect::crash,
               .heals_after = Law::lognormal(276 * kMinute, 1.217),
               .remedy = Remedy::repair,
               .symptoms = {.heartbeat_lost = true}},
      .source =
          "Repair: median 276 min, sigma 1.217, facilities failures of LANL, LA-UR-05-7318, CSV from "
          "github Derek-Jones/ESEUR-code-data@1a49d10.",
  };
}

}  // namespace gauntlet::known_faults
