// An uncorrectable memory error that the GPU contained: XID 94. It costs the application, not the GPU.
//
// Closed form: gone with the next start of the job, so that no host is lost: M / N between crashes, no repairs.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_ecc_contained() {
  return {
      .name = "gpu_ecc_contained",
      .area = kGpu,
      .summary = "contained ECC error (XID 94): the application must be restarted, the GPU goes on",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error}},
      .log = "xid_94",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (94: restart the application). Assumption: the "
          "driver always logs it.",
  };
}

}  // namespace gauntlet::known_faults
