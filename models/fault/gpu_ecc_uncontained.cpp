// An uncorrectable memory error that the GPU could not contain: XID 95. All of the GPU is suspect until it is reset.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_ecc_uncontained() {
  return {
      .name = "gpu_ecc_uncontained",
      .area = kGpu,
      .summary = "uncontained ECC error (XID 95): the GPU must be reset",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::fatal}},
      .log = "xid_95",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (95: reset GPU). Assumption: the driver always "
          "logs it; a reset is a repair of the host, which has to be drained for it.",
  };
}

}  // namespace gauntlet::known_faults
