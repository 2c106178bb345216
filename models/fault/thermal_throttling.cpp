// A GPU too hot for its clock: slower for minutes, more often in the afternoon.
//
// Closed forms: a GPU is throttled for the share m / (M + m) of the time, m = 10 min, M its mean life; the rate at hour h is
// 1 + 0.8 cos(2 pi (h - 15) / 24) times its mean, so that it is 9 times as high at 15h as at 3h, and of the day's episodes
// 1/2 + 0.8 / pi = 75% begin between 9h and 21h.
#include "models/fault/models_private.hpp"

namespace gauntlet::known_faults {

FaultModel thermal_throttling() {
  return {
      .name = "thermal_throttling",
      .area = kGpu,
      .summary = "a hot GPU lowers its clock for minutes, mostly in the afternoon",
      .kind = {.component = ComponentKind::gpu,
               .profile = {.daily = {.amplitude = 0.8, .peak = std::chrono::hours(15)}},
               .effect = Effect::slow,
               .factor = 1.2,
               .heals_after = Law::exponential(10 * kMinute),
               .remedy = Remedy::repair},
      .source =
          "Factor and duration: a GPU that is 20% slower, compute fail-slows of 10 min in the mean, "
          "https://www.usenix.org/conference/atc25/presentation/wu-tianyuan. A daily cycle of "
          "throughput that follows the temperature: https://arxiv.org/abs/2407.21783. Assumption: its "
          "amplitude of 0.8 and peak at 15h, of which only the 1-2% of throughput are published.",
  };
}

}  // namespace gauntlet::known_faults
