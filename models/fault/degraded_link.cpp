// A link that trained at half of its width or speed, and carries half.
//
// Closed form: what is bound by that NIC takes 2 times as long, for ever.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel degraded_link() {
  return {
      .name = "degraded_link",
      .area = kNetwork,
      .summary = "a NIC's link carries half of its bandwidth",
      .kind = {.component = ComponentKind::nic,
               .effect = Effect::degrade,
               .factor = 2,
               .remedy = Remedy::repair},
      .source =
          "https://arxiv.org/abs/2411.01791: PCIe downgrades are 8.6% of its faults. Assumption: half, "
          "the next lower width of a link.",
  };
}

}  // namespace gauntlet::known_faults
