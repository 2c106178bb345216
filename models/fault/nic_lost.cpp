// A NIC that is gone for good.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel nic_lost() {
  return {
      .name = "nic_lost",
      .area = kNetwork,
      .summary = "a NIC is gone until the host is repaired",
      .kind = {.component = ComponentKind::nic,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "nic_down",
      .source =
          "https://arxiv.org/abs/2407.21783: 7 of 419 interruptions. Assumption: the line always "
          "comes, and peers see the connection break, so that the process exits.",
  };
}

}  // namespace gauntlet::known_faults
