// A kernel that gave up. Sometimes its last line gets out.
//
// Closed form: of n panics n / 2 leave a line.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel kernel_panic() {
  return {
      .name = "kernel_panic",
      .area = kHost,
      .summary = "the kernel panics: the host is gone, sometimes with a last line",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.heartbeat_lost = true,
                            .severity = Severity::fatal,
                            .log_probability = Probability{0.5}}},
      .log = "kernel_panic",
      .source =
          "https://arxiv.org/abs/2509.16293: 203 of 55,365 incidents. Assumption: one line in two gets "
          "out, over a console or a dump.",
  };
}

}  // namespace gauntlet::known_faults
