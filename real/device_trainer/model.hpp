// A model on the device that learns a linear map: square layers with a shortcut around each, trained by gradient descent with momentum.
//
//   layer: x + max(0, x W)        loss: the mean over the last layer's columns of half the squared error, summed over rows
//
// Products are in bfloat16 with sums in single precision (cuBLAS), weights and momentum in single precision. The gradient of a rank becomes
// fixed point before ranks add theirs, so that no order of that sum changes its bits. cuBLAS repeats the same bits on the same model of GPU.
#pragma once

#include "real/cuda/device.hpp"

#include <cstddef>
#include <cstdint>

struct cublasContext;

namespace gauntlet::cuda {

struct ModelShape {
  int width = 1024;  // inputs, outputs and columns of a layer; a multiple of 8
  int layers = 4;
  int rows = 4096;  // of a micro-batch
};

/// Called from one thread; work is put on the stream, and nothing waits for it unless it says so. All throw Error and LibraryError.
class Model {
 public:
  Model(const ModelShape& shape, std::uint64_t seed, const Stream& stream);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  /// A step: no gradient yet.
  void clear_gradient();
  /// Forward through one micro-batch: made-up data, from this row of the step's batch on, below 2^24. Adds its loss.
  void forward(std::int64_t step, std::int64_t first_row);
  /// Backward through it; adds its gradient.
  void backward();
  /// What ranks add up: the gradient in fixed point, then the loss, then `kTold` words that rank 0 sets.
  static constexpr std::size_t kTold = 1;
  void gather(std::int64_t told);
  std::int64_t* gathered() const { return gathered_.get(); }
  std::size_t gathered_count() const;
  /// Updates the state from the summed gradient of a step with so many rows.
  void update(std::int64_t rows);
  struct Told {
    double loss = 0;  // of a row
    std::int64_t told = 0;
  };
  /// Waits for the stream.
  Told read_told(std::int64_t rows);

  /// The state: weights, then momentum.
  const float* weights() const { return weights_.get(); }
  const float* momentum() const { return momentum_.get(); }
  std::size_t weights_bytes() const { return weights_count() * sizeof(float); }
  std::size_t state_bytes() const { return 2 * weights_bytes(); }
  /// Waits for the stream.
  void restore(const std::byte* state);
  /// A silent fault: flips this bit of the first weight. Waits for the stream, on which a copy of the state is held back before.
  void flip_bit(int bit);
  /// Of every bit of the state. Waits for the stream.
  std::uint64_t hash();

 private:
  std::size_t weights_count() const;
  std::size_t layer_elements() const;
  std::size_t activation_elements() const;
  void refresh_products();

  ModelShape shape_;
  std::uint64_t seed_;
  const Stream& stream_;
  cublasContext* cublas_ = nullptr;
  DeviceMemory<std::byte> workspace_;
  DeviceMemory<float> weights_, momentum_, gradient_;
  DeviceMemory<std::uint16_t> products_;         // the weights in bfloat16
  DeviceMemory<std::uint16_t> inputs_, before_;  // by layer and at the end: x; by layer: x W
  DeviceMemory<std::uint16_t> error_, slope_;    // gradients of a layer's output and of x W
  DeviceMemory<std::int64_t> gathered_;
  DeviceMemory<unsigned long long> digest_;
  PinnedMemory told_;
};

}  // namespace gauntlet::cuda
