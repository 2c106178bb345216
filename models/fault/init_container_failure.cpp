// A container that fails while the job starts.
//
// Closed forms: a start of N hosts fails with probability 1 - (1 - c)^N, c the chance of each; a start that succeeds takes
// 1 / (1 - c)^N tries in the mean.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel init_container_failure() {
  return {
      .name = "init_container_failure",
      .area = kSoftware,
      .summary = "a container fails while the job starts",
      .kind = {.component = ComponentKind::host,
               .clock = FaultClock::start,
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error}},
      .log = "init_container",
      .source =
          "https://github.com/ray-project/kuberay/issues/4637; https://arxiv.org/abs/2509.16293: "
          "containers, 781 of 55,365 incidents. Assumption: the next try is a new chance, and the line "
          "always comes.",
  };
}

}  // namespace gauntlet::known_faults
