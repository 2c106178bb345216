// A rank that never joins a collective: a race of the software.
//
// Closed form: gone with the next start of the job; it stands still for the shorter of the collective timeout and what the
// detectors wait.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel collective_hang() {
  return {
      .name = "collective_hang",
      .area = kSoftware,
      .summary = "a rank never joins a collective, and says nothing",
      .kind = {.component = ComponentKind::host, .effect = Effect::hang, .remedy = Remedy::restart},
      .source =
          "https://arxiv.org/abs/2509.16293: job hangs, 5,506 of 55,365 incidents. Assumption: a "
          "restart cures it.",
  };
}

}  // namespace gauntlet::known_faults
