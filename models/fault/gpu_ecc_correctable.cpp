// Memory rows that are replaced because errors were corrected in them too often: XID 63, a warning. The replacement takes
// hold with the next start, and some fail: then the GPU is to be reset (gpu_row_remap_failure).
//
// Closed form: of n warnings n p lead to a failure, p = 0.27, a day later in the mean (exponential, so that half of them
// come within 24 h x ln 2 = 16.6 h).
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel gpu_ecc_correctable() {
  return {
      .name = "gpu_ecc_correctable",
      .area = kGpu,
      .summary = "rows of GPU memory are remapped (XID 63): a warning, which may rise to a failed remap",
      .kind = {.component = ComponentKind::gpu,
               .effect = Effect::none,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::warning}},
      .log = "xid_63",
      .followed_by = "gpu_row_remap_failure",
      .follow_probability = Probability{0.27},
      .follow_after = Law::exponential(24 * kHour),
      .source =
          "https://docs.nvidia.com/deploy/xid-errors (63: ignore, watch). Assumption: 0.27, because a "
          "secondary summary of https://arxiv.org/abs/2503.11901 counts 35 failed remaps beside 95 "
          "remaps; and a day, because no time between the two is published.",
  };
}

}  // namespace gauntlet::known_faults
