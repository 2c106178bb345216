#include "real/device_trainer/model.hpp"

#include "real/cuda/kernel.hpp"

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <cstring>
#include <string>

namespace gauntlet::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kWorkspace = std::size_t{1} << 25;  // what cuBLAS asks for on Hopper: https://docs.nvidia.com/cuda/cublas/#cublassetworkspace
constexpr float kLearningRate = 0.02F, kMomentum = 0.9F;  // assumption: it learns within a hundred steps
// Multiples of 2^-36 in 64 bits, as real/trainer/model/fixed_point.hpp. The gradient of a rank is bounded by 2^20, and 127 of them fit. The loss of a
// job that diverges may wrap around.
constexpr double kFixedOne = 68719476736.0, kFixedBound = 1048576.0;
constexpr std::uint64_t kOfWeights = 1, kOfData = 2;

unsigned blocks(std::size_t count) {
  constexpr std::size_t kMost = 132 * 16;
  const std::size_t wanted = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(wanted < kMost ? wanted : kMost);
}

/// From -1 to 1.
__device__ inline float uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  const std::uint64_t bits = scattered(scattered(scattered(seed + stream) + stream) + number);
  return static_cast<float>(bits >> 40) * (2.0F / 16777216.0F) - 1.0F;
}

__device__ inline float of(std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }
__device__ inline std::uint16_t bf16(float value) { return __bfloat16_as_ushort(__float2bfloat16(value)); }

__device__ inline std::int64_t fixed(double value) {
  if (isnan(value)) return 0;
  return __double2ll_rn(fmin(fmax(value, -kFixedBound), kFixedBound) * kFixedOne);
}

__global__ void initialise(float* weights, float* momentum, std::size_t count, std::uint64_t seed, float width) {
  for (std::size_t i = first(); i < count; i += stride()) {
    weights[i] = width * uniform(seed, kOfWeights, i);
    momentum[i] = 0;
  }
}

__global__ void round_weights(const float* from, std::uint16_t* to, std::size_t count) {
  for (std::size_t i = first(); i < count; i += stride()) to[i] = bf16(from[i]);
}

__global__ void make_samples(std::uint16_t* x, std::size_t count, std::uint64_t seed, std::uint64_t begin) {
  for (std::size_t i = first(); i < count; i += stride()) x[i] = bf16(uniform(seed, kOfData, begin + i));
}

__global__ void add_rectified(const std::uint16_t* x, const std::uint16_t* product, std::uint16_t* out,
                                       std::size_t count) {
  for (std::size_t i = first(); i < count; i += stride()) out[i] = bf16(of(x[i]) + fmaxf(0.0F, of(product[i])));
}

/// The target of a row: its columns moved by one.
__global__ void find_error(const std::uint16_t* inputs, const std::uint16_t* outputs, std::uint16_t* error,
                               std::size_t count, unsigned width, std::int64_t* loss) {
  std::int64_t own = 0;
  for (std::size_t i = first(); i < count; i += stride()) {
    const std::size_t column = i % width;
    const float target = of(inputs[i - column + (column + 1) % width]);
    const float wrong = of(outputs[i]) - target;
    error[i] = bf16(wrong);
    own += fixed(0.5 * static_cast<double>(wrong) * wrong / width);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(~0U, own, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(loss), static_cast<unsigned long long>(own));
}

__global__ void pass_slope(const std::uint16_t* product, const std::uint16_t* error, std::uint16_t* slope,
                               std::size_t count) {
  for (std::size_t i = first(); i < count; i += stride()) slope[i] = of(product[i]) > 0 ? error[i] : std::uint16_t{0};
}

__global__ void to_fixed(const float* gradient, std::int64_t* out, std::size_t count) {
  for (std::size_t i = first(); i < count; i += stride()) out[i] = fixed(static_cast<double>(gradient[i]));
}

__global__ void descend(float* weights, float* momentum, const std::int64_t* gradient, std::size_t count,
                                double of_row) {
  for (std::size_t i = first(); i < count; i += stride()) {
    const auto mean = static_cast<float>(static_cast<double>(gradient[i]) / kFixedOne * of_row);
    const float moved = kMomentum * momentum[i] + mean;
    momentum[i] = moved;
    weights[i] -= kLearningRate * moved;
  }
}

__global__ void add_digest(const float* values, std::size_t count, std::uint64_t begin, unsigned long long* digest) {
  unsigned long long own = 0;
  for (std::size_t i = first(); i < count; i += stride()) own += scattered(scattered(begin + i) + __float_as_uint(values[i]));
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_down_sync(~0U, own, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(digest, own);
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw LibraryError(std::string(call) + ": " + cublasGetStatusString(status));
}

}  // namespace

Model::Model(const ModelShape& shape, std::uint64_t seed, const Stream& stream)
    : shape_(shape),
      seed_(seed),
      stream_(stream),
      workspace_(device_memory<std::byte>(kWorkspace)),
      weights_(device_memory<float>(weights_count())),
      momentum_(device_memory<float>(weights_count())),
      gradient_(device_memory<float>(weights_count())),
      products_(device_memory<std::uint16_t>(weights_count())),
      inputs_(device_memory<std::uint16_t>((static_cast<std::size_t>(shape.layers) + 1) * activation_elements())),
      before_(device_memory<std::uint16_t>(static_cast<std::size_t>(shape.layers) * activation_elements())),
      error_(device_memory<std::uint16_t>(activation_elements())),
      slope_(device_memory<std::uint16_t>(activation_elements())),
      gathered_(device_memory<std::int64_t>(gathered_count())),
      digest_(device_memory<unsigned long long>(1)),
      told_(pinned_memory((1 + kTold) * sizeof(std::int64_t))) {
  check(cublasCreate(&cublas_), "cublasCreate");
  check(cublasSetStream(cublas_, stream.get()), "cublasSetStream");
  // One of its own: with it, and on one stream, cuBLAS repeats the same bits.
  check(cublasSetWorkspace(cublas_, workspace_.get(), kWorkspace), "cublasSetWorkspace");
  const float width = 0.5F / std::sqrt(static_cast<float>(shape.width));
  initialise<<<blocks(weights_count()), kThreads, 0, stream.get()>>>(weights_.get(), momentum_.get(),
                                                                          weights_count(), seed, width);
  check(cudaGetLastError(), "initialise");
  refresh_products();
}

Model::~Model() { cublasDestroy(cublas_); }

std::size_t Model::layer_elements() const {
  return static_cast<std::size_t>(shape_.width) * static_cast<std::size_t>(shape_.width);
}
std::size_t Model::weights_count() const { return static_cast<std::size_t>(shape_.layers) * layer_elements(); }
std::size_t Model::activation_elements() const {
  return static_cast<std::size_t>(shape_.rows) * static_cast<std::size_t>(shape_.width);
}
std::size_t Model::gathered_count() const { return weights_count() + 1 + kTold; }

void Model::refresh_products() {
  round_weights<<<blocks(weights_count()), kThreads, 0, stream_.get()>>>(weights_.get(), products_.get(),
                                                                         weights_count());
  check(cudaGetLastError(), "round_weights");
}

void Model::clear_gradient() {
  check(cudaMemsetAsync(gradient_.get(), 0, weights_bytes(), stream_.get()), "cudaMemsetAsync");
  check(cudaMemsetAsync(gathered_.get() + weights_count(), 0, (1 + kTold) * sizeof(std::int64_t), stream_.get()),
        "cudaMemsetAsync");
}

// Matrices are kept by rows, which cuBLAS takes for the transposed ones by columns.
void Model::forward(std::int64_t step, std::int64_t first_row) {
  const std::size_t count = activation_elements();
  const std::uint64_t row = (static_cast<std::uint64_t>(step) << 24U) + static_cast<std::uint64_t>(first_row);
  const std::uint64_t begin = row * static_cast<std::uint64_t>(shape_.width);
  make_samples<<<blocks(count), kThreads, 0, stream_.get()>>>(inputs_.get(), count, seed_, begin);
  check(cudaGetLastError(), "make_samples");
  const float one = 1, zero = 0;
  for (int layer = 0; layer < shape_.layers; ++layer) {
    const std::uint16_t* const in = inputs_.get() + static_cast<std::size_t>(layer) * count;
    std::uint16_t* const product = before_.get() + static_cast<std::size_t>(layer) * count;
    check(cublasGemmEx(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, shape_.width, shape_.rows, shape_.width, &one,
                       products_.get() + static_cast<std::size_t>(layer) * layer_elements(), CUDA_R_16BF,
                       shape_.width, in, CUDA_R_16BF, shape_.width, &zero, product, CUDA_R_16BF, shape_.width,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
    add_rectified<<<blocks(count), kThreads, 0, stream_.get()>>>(
        in, product, inputs_.get() + (static_cast<std::size_t>(layer) + 1) * count, count);
    check(cudaGetLastError(), "add_rectified");
  }
  find_error<<<blocks(count), kThreads, 0, stream_.get()>>>(
      inputs_.get(), inputs_.get() + static_cast<std::size_t>(shape_.layers) * count, error_.get(), count,
      static_cast<unsigned>(shape_.width), gathered_.get() + weights_count());
  check(cudaGetLastError(), "find_error");
}

void Model::backward() {
  const std::size_t count = activation_elements();
  const float one = 1;
  for (int layer = shape_.layers - 1; layer >= 0; --layer) {
    const std::uint16_t* const in = inputs_.get() + static_cast<std::size_t>(layer) * count;
    const std::size_t at = static_cast<std::size_t>(layer) * layer_elements();
    pass_slope<<<blocks(count), kThreads, 0, stream_.get()>>>(
        before_.get() + static_cast<std::size_t>(layer) * count, error_.get(), slope_.get(), count);
    check(cudaGetLastError(), "pass_slope");
    check(cublasGemmEx(cublas_, CUBLAS_OP_N, CUBLAS_OP_T, shape_.width, shape_.width, shape_.rows, &one, slope_.get(),
                       CUDA_R_16BF, shape_.width, in, CUDA_R_16BF, shape_.width, &one, gradient_.get() + at,
                       CUDA_R_32F, shape_.width, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
    // The shortcut: the gradient of the input is that of the output, and what comes through the layer.
    check(cublasGemmEx(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, shape_.width, shape_.rows, shape_.width, &one,
                       products_.get() + at, CUDA_R_16BF, shape_.width, slope_.get(), CUDA_R_16BF, shape_.width, &one,
                       error_.get(), CUDA_R_16BF, shape_.width, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }
}

void Model::gather(std::int64_t told) {
  to_fixed<<<blocks(weights_count()), kThreads, 0, stream_.get()>>>(gradient_.get(), gathered_.get(),
                                                                         weights_count());
  check(cudaGetLastError(), "to_fixed");
  std::memcpy(told_.get(), &told, sizeof told);
  check(cudaMemcpyAsync(gathered_.get() + weights_count() + 1, told_.get(), sizeof told, cudaMemcpyHostToDevice,
                        stream_.get()),
        "cudaMemcpyAsync");
}

void Model::update(std::int64_t rows) {
  descend<<<blocks(weights_count()), kThreads, 0, stream_.get()>>>(
      weights_.get(), momentum_.get(), gathered_.get(), weights_count(), 1.0 / static_cast<double>(rows));
  check(cudaGetLastError(), "descend");
  refresh_products();
}

Model::Told Model::read_told(std::int64_t rows) {
  std::int64_t words[1 + kTold] = {};
  check(cudaMemcpyAsync(told_.get(), gathered_.get() + weights_count(), sizeof words, cudaMemcpyDeviceToHost,
                        stream_.get()),
        "cudaMemcpyAsync");
  stream_.wait();
  std::memcpy(words, told_.get(), sizeof words);
  return {static_cast<double>(words[0]) / kFixedOne / static_cast<double>(rows), words[1]};
}

void Model::restore(const std::byte* state) {
  check(cudaMemcpyAsync(weights_.get(), state, weights_bytes(), cudaMemcpyHostToDevice, stream_.get()),
        "cudaMemcpyAsync");
  check(cudaMemcpyAsync(momentum_.get(), state + weights_bytes(), weights_bytes(), cudaMemcpyHostToDevice,
                        stream_.get()),
        "cudaMemcpyAsync");
  refresh_products();
  stream_.wait();
}

void Model::flip_bit(int bit) {
  std::uint32_t word = 0;
  stream_.wait();
  check(cudaMemcpy(&word, weights_.get(), sizeof word, cudaMemcpyDeviceToHost), "cudaMemcpy");
  word ^= std::uint32_t{1} << bit;
  check(cudaMemcpy(weights_.get(), &word, sizeof word, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  refresh_products();
}

std::uint64_t Model::hash() {
  check(cudaMemsetAsync(digest_.get(), 0, sizeof(unsigned long long), stream_.get()), "cudaMemsetAsync");
  const float* const parts[] = {weights_.get(), momentum_.get()};
  for (std::size_t part = 0; part < 2; ++part) {
    add_digest<<<blocks(weights_count()), kThreads, 0, stream_.get()>>>(parts[part], weights_count(),
                                                                            part * weights_count(), digest_.get());
    check(cudaGetLastError(), "add_digest");
  }
  unsigned long long digest = 0;
  check(cudaMemcpyAsync(&digest, digest_.get(), sizeof digest, cudaMemcpyDeviceToHost, stream_.get()), "cudaMemcpyAsync");
  stream_.wait();
  return digest;
}

}  // namespace gauntlet::cuda
