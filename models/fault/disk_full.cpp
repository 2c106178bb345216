// No space left on a host's disk.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel disk_full() {
  return {
      .name = "disk_full",
      .area = kHost,
      .summary = "a host's disk is full: what writes to it dies",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "disk_full",
      .source =
          "https://arxiv.org/abs/2509.16293: disk space, 2,755 of 55,365 incidents. Assumption: it is "
          "cleaned while the host is out, and the line always comes.",
  };
}

}  // namespace gauntlet::known_faults
