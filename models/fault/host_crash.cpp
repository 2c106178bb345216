// A host that is gone from one moment to the next: board, CPU, memory.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each; the agent dies with it, so that a missing
// heartbeat is all that shows.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel host_crash() {
  return {
      .name = "host_crash",
      .area = kHost,
      .summary = "a host is gone, and its agent with it",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.heartbeat_lost = true}},
      .source =
          "https://arxiv.org/abs/2407.21783: chassis, boards, CPUs and memory, 8 of 419 interruptions. "
          "Assumption: nothing is logged.",
  };
}

}  // namespace gauntlet::known_faults
