// A spine switch that is gone. All pods go on over the others.
//
// Closed forms: of k alike spines k - 1 are left, so that each carries k / (k - 1) of its load, 64 / 63; repaired after
// 250 min in the mean, as tor_lost.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel spine_lost() {
  return {
      .name = "spine_lost",
      .area = kNetwork,
      .summary = "a spine switch is gone, and all pods share those that are left",
      .kind = {.component = ComponentKind::spine,
               .effect = Effect::degrade,
               .factor = 64.0 / 63.0,
               .heals_after = Law::lognormal(70 * kMinute, 1.595),
               .remedy = Remedy::repair},
      .source =
          "Repair: median 70 min, sigma 1.595, network failures of LANL, LA-UR-05-7318, CSV from "
          "github Derek-Jones/ESEUR-code-data@1a49d10. Assumption: 64 spines, the default of "
          "cluster.network, and routes that spread evenly over the rest.",
  };
}

}  // namespace gauntlet::known_faults
