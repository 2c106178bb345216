// What one pipeline stage does with one micro-batch, in seconds: matrix products from their shapes, operators that are bound by
// memory, attention, and the collectives that are in the way.
#pragma once

#include "models/calibration/calibration.hpp"
#include "models/hardware.hpp"
#include "models/network/bandwidths.hpp"
#include "models/workload.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet {

/// What a ring over NVLink gets of the wires' bandwidth: 230 of 300 GB/s on A100, nccl-tests,
/// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
inline constexpr double kRingShare = 0.77;

/// The bandwidth term of collectives: all of it, and what a GPU waits for of it on the healthy cluster. What hides it does
/// not grow when wires get slower, so that whatever is added is waited for.
struct WireTime {
  double wire = 0;
  double exposed = 0;  // below zero: there is more to hide it than needed
  double when(double longer) const { return std::max(0.0, exposed + (longer - 1) * wire); }
};
inline WireTime operator+(const WireTime& a, const WireTime& b) {
  return {a.wire + b.wire, a.exposed + b.exposed};
}
inline WireTime operator*(double times, const WireTime& of) { return {times * of.wire, times * of.exposed}; }

/// What a GPU does in one pass.
struct PassTimes {
  double compute = 0;  // matrix products, attention, memory-bound operators
  WireTime tensor, context, expert;
  double latency = 0;  // exposed, of all collectives
  double total() const { return compute + tensor.when(1) + context.when(1) + expert.when(1) + latency; }
};

struct LayerTimes {
  PassTimes forward, backward, recomputed;
};

/// Bandwidths that the collectives of a stage get, each direction, for one GPU.
struct Wires {
  Bandwidth tensor, context, expert;
};

/// What a ring gets of a dimension's bandwidth.
inline Bandwidth ring_bandwidth(const DimensionBandwidth& wires) {
  return wires.healthy * (wires.over_nics ? 1 : kRingShare);
}

/// One layer, one micro-batch; `with_experts` for layers that have them.
LayerTimes layer_times(const Transformer& model, const Training& training, const Layout& layout,
                       std::uint32_t micro_batch, const Hardware& hardware, const Calibration& stack,
                       const Wires& wires, bool with_experts);

/// The output matrix, its loss and gradient, on the last stage: forward and backward, in 16 bits under every precision.
LayerTimes logits_times(const Transformer& model, const Layout& layout, std::uint32_t micro_batch,
                        const Hardware& hardware, const Calibration& stack);

/// A matrix product of (m x k) by (k x n), `batch` times: wave quantisation over the GPU's multiprocessors, depth overhead,
/// alignment, and never faster than its memory traffic. None where a dimension is zero.
double matrix_product_seconds(double m, double n, double k, double batch, Precision precision, bool aligned,
                              const Hardware& hardware, const Calibration& stack);

}  // namespace gauntlet
