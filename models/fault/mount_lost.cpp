// A file system that is no longer mounted on a host.
//
// Closed form: as gpu_ecc_uncorrectable, one crash and one repair for each.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel mount_lost() {
  return {
      .name = "mount_lost",
      .area = kHost,
      .summary = "a file system is no longer mounted: what reads from it dies",
      .kind = {.component = ComponentKind::host,
               .effect = Effect::crash,
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::error}},
      .log = "io_error",
      .source =
          "https://arxiv.org/abs/2410.21680: a missing mount is a high-severity check, its node is "
          "removed. Assumption: the line always comes.",
  };
}

}  // namespace gauntlet::known_faults
