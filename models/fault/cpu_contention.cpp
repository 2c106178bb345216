// Other processes on the CPUs that feed the GPUs.
//
// Closed forms: throughput falls by 21.6%, so that a step takes 1 / (1 - 0.216) = 1.276 times as long; for the share
// m / (M + m) of the time, m = 10 min.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel cpu_contention() {
  return {
      .name = "cpu_contention",
      .area = kHost,
      .summary = "other processes take CPU time from the ranks of a host for minutes",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::slow,
               .factor = 1 / (1 - 0.216),
               .heals_after = Law::exponential(10 * kMinute),
               .remedy = Remedy::repair},
      .source =
          "https://www.usenix.org/conference/atc25/presentation/wu-tianyuan: CPU contention costs "
          "21.6% of throughput; compute fail-slows last 10 min in the mean. Assumption: exponential.",
  };
}

}  // namespace gauntlet::known_faults
