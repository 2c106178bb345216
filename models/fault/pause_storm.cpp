// Pause frames that a NIC does not stop to send: nothing moves below the switch until its watchdog cuts the NIC off.
//
// Closed form: stands still for m = 5 s x exp(1 / 2) = 8.2 s in the mean.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel pause_storm() {
  return {
      .name = "pause_storm",
      .area = kNetwork,
      .summary = "pause frames stop everything below a ToR switch for seconds",
      .kind = {.component = ComponentKind::tor,
               .effect = Effect::stall,
               .heals_after = Law::lognormal(5, 1),
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::warning}},
      .log = "pause_storm",
      .source =
          "Assumption: seconds until a watchdog cuts the source off, lognormal with median 5 s and "
          "sigma 1; no durations are published. That such storms block heads of lines: "
          "https://arxiv.org/abs/2402.15627.",
  };
}

}  // namespace gauntlet::known_faults
