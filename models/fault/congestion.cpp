// Other traffic on the paths of a host, for minutes.
//
// Closed form: congested for the share m / (M + m) of the time, m = 24 min.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel congestion() {
  return {
      .name = "congestion",
      .area = kNetwork,
      .summary = "other traffic takes half of a host's bandwidth for minutes",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::degrade,
               .factor = 2,
               .heals_after = Law::exponential(24 * kMinute),
               .remedy = Remedy::repair},
      .source =
          "https://www.usenix.org/conference/atc25/presentation/wu-tianyuan: communication fail-slows "
          "last 24 min in the mean. Assumption: exponential, and half of the bandwidth.",
  };
}

}  // namespace gauntlet::known_faults
