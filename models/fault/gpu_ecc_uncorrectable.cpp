// A double-bit error of a GPU's memory that nobody could contain: XID 48.
//
// Closed form: each meeting with the job costs one crash and one repair of the host; N GPUs of mean life M crash a job
// every M / N.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_ecc_uncorrectable() {
  return {
      .name = "gpu_ecc_uncorrectable",
      .area = kGpu,
      .summary = "double-bit ECC error (XID 48): the process dies, the GPU must be drained and reset",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::fatal}},
      .log = "xid_48",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (48: drain, reset). Assumption: the driver always "
          "logs it.",
  };
}

}  // namespace gauntlet::known_faults
