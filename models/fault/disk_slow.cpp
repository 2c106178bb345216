// A disk that reads slowly: the loader of data cannot keep up.
//
// Closed form: forward compute, which waits for its data, takes 1.2 times as long, for ever.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel disk_slow() {
  return {
      .name = "disk_slow",
      .area = kHost,
      .summary = "a host's disk is slow, and its ranks wait for data",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::slow,
               .factor = 1.2,
               .segment = Segment::forward,
               .remedy = Remedy::repair},
      .source =
          "Assumption: 20%, as a slow GPU of "
          "https://www.usenix.org/conference/atc25/presentation/wu-tianyuan; nothing is published of "
          "slow disks.",
  };
}

}  // namespace gauntlet::known_faults
