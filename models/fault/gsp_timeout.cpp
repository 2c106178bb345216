// The GPU's system processor stopped to answer: XID 119. Calls into the driver do not return, so that the process neither
// goes on nor exits.
//
// Closed form: every one is a hang; what ends it is a timeout, so the job stands still for the shorter of the collective
// timeout and what the detectors wait.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gsp_timeout() {
  return {
      .name = "gsp_timeout",
      .area = kGpu,
      .summary = "GPU system processor timeout (XID 119): driver calls do not return until the GPU is reset",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::hang,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "xid_119",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (119: reset). Assumption: a hang, because the "
          "driver's calls wait for that processor.",
  };
}

}  // namespace gauntlet::known_faults
