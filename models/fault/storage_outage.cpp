// The storage of data and checkpoints does not answer, and the job waits for it.
//
// Closed forms: m = 2 min x exp(1 / 2) = 3.3 min in the mean; above the usual collective timeout of 10 min with probability
// Q(ln 5) = 5.4%: then a wait becomes a stop.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel storage_outage() {
  return {
      .name = "storage_outage",
      .area = kSoftware,
      .summary = "storage does not answer for minutes, and the job waits",
      .kind = {.component = ComponentKind::job,
               .effect = Effect::stall,
               .halts_storage = true,
               .heals_after = Law::lognormal(2 * kMinute, 1),
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::warning}},
      .log = "io_error",
      .source =
          "https://arxiv.org/abs/2509.16293: HDFS, 1,104 of 55,365 incidents. Assumption: lognormal "
          "with median 2 min and sigma 1, and a restart reaches a replica that answers.",
  };
}

}  // namespace gauntlet::known_faults
