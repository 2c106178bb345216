// Host memory runs out, and the kernel kills a rank.
//
// Closed form: gone with the next start of the job: M / N between crashes, no repairs; exit code 128 + 9, a process that was
// killed.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel memory_pressure() {
  return {
      .name = "memory_pressure",
      .area = kHost,
      .summary = "host memory runs out, and the kernel kills a rank",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error, .exit_code = 137}},
      .log = "oom",
      .source =
          "https://arxiv.org/abs/2509.16293: CPU out of memory, 5,567 of 55,365 incidents. Assumption: "
          "the kernel always logs it, and a restart cures it.",
  };
}

}  // namespace gauntlet::known_faults
