// A bug that strikes again whenever the step is reached at which it struck.
//
// Closed form: restarts do not help, each costs the way back to that step; only a person ends it. With r restarts in place it
// crashes 1 + r times before one is asked.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel deterministic_bug() {
  return {
      .name = "deterministic_bug",
      .area = kSoftware,
      .summary = "a bug that returns at the same step until a person has dealt with it",
      .kind = {.component = ComponentKind::job,
               .effect = Effect::crash,
               .same_step = true,
               .remedy = Remedy::person,
               .symptoms = {.severity = Severity::error}},
      .log = "exception",
      .source =
          "https://arxiv.org/abs/2509.16293: of jobs on more than 2,000 GPUs, 41 illegal accesses in a "
          "month came from users' code. Assumption: it is the same step each time, and the exception "
          "is logged.",
  };
}

}  // namespace gauntlet::known_faults
