// New software on every host, and what it breaks: many crashes in the days after, until it is mended.
//
// Closed form: of a rate r a day for the job, 10 r in the first day and r in each after it, so that of the crashes of a week
// 10 / 16 = 62.5% fall on its first day.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel bad_rollout() {
  return {
      .name = "bad_rollout",
      .area = kSoftware,
      .summary = "crashes that come in a burst after a change of software",
      .kind = {.component = ComponentKind::job,
               .profile = {.curve = {{kStart, 10.0}, {kStart + std::chrono::hours(24), 1.0}}},
               .effect = Effect::crash,
               .remedy = Remedy::restart,
               .symptoms = {.severity = Severity::error}},
      .log = "exception",
      .source =
          "Assumption: ten times as often in the day after the change, which is the run's first; "
          "nothing is published of it.",
  };
}

}  // namespace gauntlet::known_faults
