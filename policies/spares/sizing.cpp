#include "policies/spares/sizing.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

namespace gauntlet {

double at_least_k_of_n(std::uint32_t k, std::uint32_t n, double up) {
  if (k == 0) return 1;
  if (k > n) return 0;
  return incomplete_beta(k, n - k + 1.0, up);
}

std::uint32_t spares_for_quantile(std::uint32_t hosts, double daily_failure, double quantile) {
  expect(daily_failure >= 0 && daily_failure < 1 && quantile >= 0 && quantile < 1, "these are probabilities");
  // s are enough where at least hosts - s stay up; more are enough too, so that halves of the range can be dropped.
  std::uint32_t least = 0, enough = hosts;
  while (least < enough) {
    const std::uint32_t s = least + (enough - least) / 2;
    if (at_least_k_of_n(hosts - s, hosts, 1 - daily_failure) >= quantile) {
      enough = s;
    } else {
      least = s + 1;
    }
  }
  return enough;
}

}  // namespace gauntlet
