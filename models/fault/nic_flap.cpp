// A NIC whose link goes down for seconds and comes up again; packets in flight are dropped, and whoever waits for them
// waits. A flap is often one of several: it is followed by another with probability p. The quality of the link is in the
// scenario's hands: `rate_factor` below 1 for better cables, `lemons` and `batches` for some that are worse.
//
// Closed forms: down for m = 4 s x exp(0.6^2 / 2) = 4.79 s in the mean, above 10 s with probability
// Q(ln(10 / 4) / 0.6) = 6.3%; a burst has 1 / (1 - p) = 2 flaps in the mean, and more than k with probability p^k; a NIC
// that begins b bursts a day is down for 2 b m seconds a day.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel nic_flap() {
  return {
      .name = "nic_flap",
      .area = kNetwork,
      .summary = "a NIC's link goes down for seconds and comes back, often several times in a row",
      .kind = {.component = ComponentKind::nic,
               .effect = Effect::stall,
               .heals_after = Law::lognormal(4, 0.6),
               .remedy = Remedy::repair,
               .symptoms = {.severity = Severity::warning}},
      .log = "nic_down",
      .followed_by = "nic_flap",
      .follow_probability = Probability{0.5},
      .follow_after = Law::exponential(kMinute),
      .source =
          "https://arxiv.org/abs/2402.15627: several seconds from down to up, packets in flight are "
          "dropped. Assumption: lognormal with median 4 s and sigma 0.6 for \"several\"; that half of "
          "the flaps have another after them, a minute later in the mean, for \"frequently\".",
  };
}

}  // namespace gauntlet::known_faults
