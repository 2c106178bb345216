// What of the step model is timed.
#pragma once

namespace gauntlet {

/// Adds `step/build_and_formula`, `step/build_and_evaluate`, `step/healthy`, `step/perturbed` and `step/jitter` with 64,
/// 1,024 and 12,288 GPUs.
void register_step_benchmarks();

}  // namespace gauntlet
