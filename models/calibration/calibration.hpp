// What the step model cannot derive: how much of the hardware a software stack gets out. Few constants for each stack, the
// same physics for all, never tuned by row. published.csv beside this file has the measured steps they were fitted on.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// One software stack. An exposed share is the part of a collective's time, at the full bandwidth of its wires, that the
/// step waits for: overlap with compute lowers it, stragglers and protocol raise it, so it may exceed 1.
struct Calibration {
  std::string stack = "megatron-core";
  double gemm_efficiency = 0;      // share of the peak rate that a full wave of matrix tiles reaches
  double memory_efficiency = 0;    // share of the memory bandwidth that operators bound by memory reach
  double tensor_exposed = 1;       // tensor-parallel collectives in sequence with compute
  double tensor_overlapped = 0.5;  // ... and beside it, where the training overlaps them
  double data_exposed = 1;         // reduction of gradients and gathering of weights
  double misaligned =
      1;               // attention with heads whose width is not a multiple of 8 takes so many times as long
  std::string source;  // the published rows that the constants were fitted on
};

/// The stacks that were fitted, by name, in a fixed order.
std::span<const Calibration> calibrations();

/// The stack of that name; null when there is none.
const Calibration* find_calibration(std::string_view stack);

}  // namespace gauntlet
