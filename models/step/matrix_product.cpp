#include "models/bytes.hpp"
#include "models/step/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gauntlet {
namespace {

// A tile of a matrix product pays for filling and draining its pipeline as if its depth were so much longer.
constexpr double kDepthOverhead = 64;
struct Tile {
  double rows, columns, share;  // of the rate of the largest tile
};
// CUTLASS' largest tiles for 16 bits, https://github.com/NVIDIA/cutlass/blob/main/media/docs/efficient_gemm.md
constexpr std::array<Tile, 2> kTiles = {{{128, 256, 1.0}, {128, 128, 0.93}}};

}  // namespace

double matrix_product_seconds(double m, double n, double k, double batch, Precision precision, bool aligned,
                              const Hardware& hardware, const Calibration& stack) {
  if (m == 0 || n == 0 || k == 0) return 0;
  const double peak = precision == Precision::fp8 && hardware.peak_fp8.value > 0 ? hardware.peak_fp8.value
                                                                                 : hardware.peak.value;
  const double units = hardware.multiprocessors;
  double best = 0;
  for (const Tile& tile : kTiles) {
    const double tiles = batch * std::ceil(m / tile.rows) * std::ceil(n / tile.columns);
    const double waves = std::ceil(tiles / units);
    const double flops = waves * units * tile.rows * tile.columns * 2 * (k + kDepthOverhead);
    const double seconds = flops / (peak * tile.share);
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  best *= (aligned ? 1 : stack.misaligned) / stack.gemm_efficiency;
  const double traffic = kHalfBytes * batch * (m * k + k * n + m * n);
  return std::max(best, traffic / (hardware.memory_bandwidth.value * stack.memory_efficiency));
}

}  // namespace gauntlet
