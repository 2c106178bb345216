// An aggregation switch that is gone. Its pod goes on over the others.
//
// Closed forms: of k alike switches of a pod k - 1 are left, so that each carries k / (k - 1) of its load, 8 / 7; repaired
// after 250 min in the mean, as tor_lost.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel aggregation_lost() {
  return {
      .name = "aggregation_lost",
      .area = kNetwork,
      .summary = "an aggregation switch is gone, and its pod shares those that are left",
      .kind = {.component = ComponentKind::aggregation,
               .effect = Effect::degrade,
               .factor = 8.0 / 7.0,
               .heals_after = Law::lognormal(70 * kMinute, 1.595),
               .remedy = Remedy::repair},
      .source =
          "Repair: median 70 min, sigma 1.595, network failures of LANL, LA-UR-05-7318, CSV from "
          "github Derek-Jones/ESEUR-code-data@1a49d10. Assumption: 8 switches in a pod, the default of "
          "cluster.network, and routes that spread evenly over the rest.",
  };
}

}  // namespace gauntlet::known_faults
