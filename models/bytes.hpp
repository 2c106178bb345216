// How many bytes an element of each sort takes, in memory and on its way.
//
// Sizes: Rajbhandari et al., sec. 3.1, https://arxiv.org/abs/1910.02054: weights and gradients in 16 bits; in fp32 the master
// weight and Adam's two moments.
#pragma once

#include "models/precision.hpp"

namespace gauntlet {

inline constexpr double kHalfBytes = 2;  // a weight, or an activation, in 16 bits
inline constexpr double kSingleBytes = 4;

/// What the optimizer keeps of a parameter: master weight and two moments.
inline constexpr double kOptimizerStateBytes = 3 * kSingleBytes;

/// What one step of Adam moves of a parameter: it reads gradient, master weight and two moments, and writes the last three,
/// and the weight in 16 bits.
inline constexpr double kOptimizerTrafficBytes = 4 * kSingleBytes + 3 * kSingleBytes + kHalfBytes;

/// Gradients are summed in fp32 under bf16 and fp8 (Llama 3, sec. 3.3.2, https://arxiv.org/abs/2407.21783).
constexpr double gradient_bytes(Precision precision) {
  return precision == Precision::fp16 ? kHalfBytes : kSingleBytes;
}

}  // namespace gauntlet
