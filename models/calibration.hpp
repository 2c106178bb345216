// What the step model cannot derive: how much of the hardware a software stack gets out. Few constants for
// each stack, the same physics for all, never tuned by row.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// One software stack. An exposed share is the part of a collective's time, at the full bandwidth of its
/// wires, that the step waits for: overlap with compute lowers it, latency and protocol overhead raise it, so
/// it may exceed 1. The defaults are the "llama3" stack's.
struct Calibration {
  std::string stack = "llama3";
  double gemm_efficiency = 0.54;  // share of the peak rate at which a stage works through its model FLOPs
  double tensor_exposed = 1;      // tensor-parallel all-reduces
  double pipeline_exposed = 0.5;  // activations and their gradients between stages
  double data_exposed = 0.7;      // reduce-scatter of gradients, all-gather of weights
  std::string source;             // the published rows that the constants were fitted on
};

/// The stacks that were fitted, by name, in a fixed order.
std::span<const Calibration> calibrations();

/// The stack of that name; null when there is none.
const Calibration* find_calibration(std::string_view stack);

}  // namespace gauntlet
