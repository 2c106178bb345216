// A GPU that fell off the bus: XID 79. Its host lives on, and its agent tells.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_lost() {
  return {
      .name = "gpu_lost",
      .area = kGpu,
      .summary = "GPU fell off the bus (XID 79): the machine must be restarted, often repaired",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::fatal}},
      .log = "xid_79",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (79: restart the machine, support). Assumption: "
          "the driver always logs it.",
  };
}

}  // namespace gauntlet::known_faults
