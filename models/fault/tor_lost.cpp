// A ToR switch that is gone: every host below it loses the NICs that it connects, all at once.
//
// Closed forms: concerns all hosts of one group; repaired after 70 min x exp(1.595^2 / 2) = 250 min in the mean; a switch is
// down for the share m / (M + m) of the time.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel tor_lost() {
  return {
      .name = "tor_lost",
      .area = kNetwork,
      .summary = "a ToR switch is gone, and with it the NICs of every host below it",
      .kind = {.component = ComponentKind::tor,
               .effect = Effect::crash,
               .heals_after = Law::lognormal(70 * kMinute, 1.595),
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "nic_down",
      .source =
          "Repair: median 70 min, sigma 1.595, network failures of LANL, LA-UR-05-7318, CSV from "
          "github Derek-Jones/ESEUR-code-data@1a49d10. Assumption: agents report over another network, "
          "so that heartbeats go on.",
  };
}

}  // namespace gauntlet::known_faults
