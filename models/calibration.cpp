#include "models/calibration.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

// Two rows of one model give two constants: what grows with the micro-batches (gemm_efficiency) and what is
// paid once a step (data_exposed). The other two are assumed: a stack that overlaps a collective hides half
// of it.
const std::array<Calibration, 2>& list() {
  static const std::array<Calibration, 2> stacks{{
      {.stack = "llama3",
       .gemm_efficiency = 0.54,
       .tensor_exposed = 1,
       .pipeline_exposed = 0.5,
       .data_exposed = 0.7,
       .source = "Llama 3 405B, bf16, H100, sequences of 8,192: 430 TFLOP/s per GPU on 8,192 GPUs and 400 on "
                 "16,384 "
                 "(https://arxiv.org/abs/2407.21783, table 4)"},
      {.stack = "megascale",
       .gemm_efficiency = 0.66,
       .tensor_exposed = 0.5,
       .pipeline_exposed = 0.5,
       .data_exposed = 0.54,
       .source = "MegaScale 175B, A100, batch 6,144: 23.66 s on 3,072 GPUs and 6.34 s on 12,288 "
                 "(https://arxiv.org/abs/2402.15627, table 2)"},
  }};
  return stacks;
}

}  // namespace

std::span<const Calibration> calibrations() { return list(); }

const Calibration* find_calibration(std::string_view stack) {
  const auto found = std::ranges::find(list(), stack, &Calibration::stack);
  return found == list().end() ? nullptr : &*found;
}

}  // namespace gauntlet
