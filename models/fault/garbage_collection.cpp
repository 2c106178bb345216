// Collections of garbage that come at other times on every host: the job gets slower from day to day.
//
// Closed form: after n whole days compute takes 1.005^(1 + n) times as long: 4.1% more after a week, 17% after a month; a
// start of the job begins anew.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel garbage_collection() {
  return {
      .name = "garbage_collection",
      .area = kSoftware,
      .summary = "irregular garbage collection: a little slower every day until a restart",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::slow,
               .factor = 1.005,
               .grows_every = std::chrono::hours(24),
               .segment = Segment::forward,
               .remedy = Remedy::restart},
      .source =
          "https://arxiv.org/abs/2402.15627: MFU declines because of irregular garbage collection and "
          "operations in forward compute. Assumption: 0.5% a day; the rate is published as a figure "
          "only.",
  };
}

}  // namespace gauntlet::known_faults
