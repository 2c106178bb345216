// A host that takes a tenth longer for the same forward compute, and stays so.
//
// Closed form: in a gang the slowest sets the pace, so that forward compute takes 1.10 times as long from the first slow host
// on. With a share q of N hosts at the start a job has N q of them, and none with probability (1 - q)^N.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel slow_host() {
  return {
      .name = "slow_host",
      .area = kHost,
      .summary = "a host that persistently takes 10% longer for forward compute",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::slow,
               .factor = 1.10,
               .segment = Segment::forward,
               .remedy = Remedy::repair},
      .source =
          "https://arxiv.org/abs/2402.15627: about 0.5% of the machines take about 10% more time for "
          "the same forward computation.",
  };
}

}  // namespace gauntlet::known_faults
