// An illegal memory access or another error of a kernel: XID 31.
//
// Closed form: gone with the next start of the job: M / N between crashes, no repairs.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel cuda_error() {
  return {
      .name = "cuda_error",
      .area = kSoftware,
      .summary = "a kernel fails (XID 31): the application must be restarted",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error}},
      .log = "xid_31",
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (31: restart the application); "
          "https://arxiv.org/abs/2509.16293: 19,968 of 55,365 incidents. Assumption: the driver always "
          "logs it.",
  };
}

}  // namespace gauntlet::known_faults
