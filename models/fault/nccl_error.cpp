// A communicator that broke.
//
// Closed form: gone with the next start of the job: M / N between crashes, no repairs.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel nccl_error() {
  return {
      .name = "nccl_error",
      .area = kSoftware,
      .summary = "a communicator breaks with an error of NCCL",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error}},
      .log = "nccl_error",
      .source =
          "https://arxiv.org/abs/2407.21783: NCCL watchdog timeouts, 7 of 419 interruptions. "
          "Assumption: it logs before it exits, and a restart cures it.",
  };
}

}  // namespace gauntlet::known_faults
