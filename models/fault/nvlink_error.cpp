// An error of an NVLink that the link did not survive: XID 74.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel nvlink_error() {
  return {
      .name = "nvlink_error",
      .area = kGpu,
      .summary = "NVLink error (XID 74): ranks of the host can no longer talk",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "xid_74",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (74: NVLink workflow). Assumption: the driver "
          "always logs it, and the host is drained for it.",
  };
}

}  // namespace gauntlet::known_faults
