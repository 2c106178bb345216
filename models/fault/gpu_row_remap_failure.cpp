// A row of GPU memory could not be replaced: XID 64. What gpu_ecc_correctable may lead to.
//
// Closed form: by itself as gpu_ecc_uncorrectable; as a follower at the rate of the warnings times 0.27.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_row_remap_failure() {
  return {
      .name = "gpu_row_remap_failure",
      .area = kGpu,
      .summary = "row remap failed (XID 64): the GPU must be reset, and often replaced",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::fatal}},
      .log = "xid_64",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (64: reset GPU, support). Assumption: the driver "
          "always logs it.",
  };
}

}  // namespace gauntlet::known_faults
