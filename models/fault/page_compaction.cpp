// The kernel moves pages to make large ones, and everything on the host waits.
//
// Closed forms: m = 0.5 s x exp(1 / 2) = 0.82 s in the mean, above 3 s with probability Q(ln 6) = 3.7%; k of them a day cost
// k m seconds a day.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel page_compaction() {
  return {
      .name = "page_compaction",
      .area = kHost,
      .summary = "the kernel compacts memory: everything on the host waits, up to seconds",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::stall,
               .heals_after = Law::lognormal(0.5, 1),
               .remedy = Remedy::repair},
      .source =
          "Assumption: lognormal with median 0.5 s and sigma 1, for latency spikes of up to seconds; "
          "no durations are published.",
  };
}

}  // namespace gauntlet::known_faults
