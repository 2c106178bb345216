#include "real/probes/cuda/product_private.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <stdexcept>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kElements = Product::kRows * Product::kRows;
constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr std::uint64_t kSeedA = 1, kSeedB = 2, kSeedSample = 3;
constexpr int kSampled = 256;
// Of the sum of the magnitudes that are added. Tensor cores add 8-bit products with 13 bits of fraction (DeepSeek-V3, section 3.3.2,
// https://arxiv.org/abs/2412.19437), and the errors of several additions partly cancel.
constexpr double kToleranceOf8Bits = 1.0 / 1024;

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
__host__ __device__ inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// From -8 to 8.
__host__ __device__ inline int eighths(std::uint64_t element, std::uint64_t seed) {
  return static_cast<int>(mixed(element + seed * 0x100000000ULL) % 17) - 8;
}

template <class T>
__global__ void fill(T* out, std::size_t count, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    out[i] = T(static_cast<float>(eighths(i, seed)) / 8.0F);
}

__global__ void add_digest(const float* values, std::size_t count, unsigned long long* sum) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    own += mixed(i * 0x100000001b3ULL ^ __float_as_uint(values[i]));
  atomicAdd(sum, own);  // a sum does not depend on its order
}

constexpr unsigned kBlocks = 1024, kThreads = 256;

void fill_matrix(Precision precision, std::byte* out, std::uint64_t seed) {
  switch (precision) {
    case Precision::bf16:
      fill<<<kBlocks, kThreads>>>(reinterpret_cast<__nv_bfloat16*>(out), kElements, seed);
      break;
    case Precision::fp16:
      fill<<<kBlocks, kThreads>>>(reinterpret_cast<__half*>(out), kElements, seed);
      break;
    case Precision::fp8:
      fill<<<kBlocks, kThreads>>>(reinterpret_cast<__nv_fp8_e4m3*>(out), kElements, seed);
      break;
    case Precision::fp32:
      fill<<<kBlocks, kThreads>>>(reinterpret_cast<float*>(out), kElements, seed);
      break;
  }
  check(cudaGetLastError(), "the kernel that fills a matrix");
}

cudaDataType_t type_of(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return CUDA_R_16BF;
    case Precision::fp16:
      return CUDA_R_16F;
    case Precision::fp8:
      return CUDA_R_8F_E4M3;
    case Precision::fp32:
      return CUDA_R_32F;
  }
  return CUDA_R_32F;
}

std::size_t size_of(Precision precision) {
  return precision == Precision::fp32 ? 4 : precision == Precision::fp8 ? 1 : 2;
}

std::size_t bytes_of(Precision precision) {
  return 2 * kElements * size_of(precision) + kElements * sizeof(float) + kWorkspace;
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string why = std::string(call) + ": " + cublasLtGetStatusString(status);
  const bool of_device = status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR ||
                         status == CUBLAS_STATUS_MAPPING_ERROR;
  if (of_device) throw std::runtime_error(why);
  throw LibraryError(why);
}

struct DestroysPreference {
  void operator()(cublasLtMatmulPreference_t preference) const {
    cublasLtMatmulPreferenceDestroy(preference);
  }
};

}  // namespace

std::string Product::why_not(Precision precision) {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  const int capability = 10 * major + minor;
  if (precision == Precision::fp8 && capability < 89)
    return "has no 8-bit products (compute capability below 8.9)";
  if (precision == Precision::bf16 && capability < 80)
    return "has no bfloat16 (compute capability below 8.0)";
  return {};
}

std::string Product::too_little_memory(Precision precision) {
  const std::size_t free = free_bytes(), needs = bytes_of(precision);
  if (free >= needs) return {};
  return "has " + std::to_string(free >> 20) + " MiB free, and the product needs " +
         std::to_string(needs >> 20);
}

Product::Product(Precision precision) : precision_(precision) {
  a_ = device_memory<std::byte>(kElements * size_of(precision));
  b_ = device_memory<std::byte>(kElements * size_of(precision));
  d_ = device_memory<float>(kElements);
  workspace_ = device_memory<std::byte>(kWorkspace);
  digest_ = device_memory<unsigned long long>(1);
  fill_matrix(precision, a_.get(), kSeedA);
  fill_matrix(precision, b_.get(), kSeedB);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  handle_.reset(handle);
  cublasLtMatmulDesc_t descriptor = nullptr;
  check(cublasLtMatmulDescCreate(&descriptor, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
  descriptor_.reset(descriptor);
  const cublasOperation_t transposed = CUBLAS_OP_T;  // the only form that 8-bit products have
  check(
      cublasLtMatmulDescSetAttribute(descriptor, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
      "cublasLtMatmulDescSetAttribute");
  cublasLtMatrixLayout_t in = nullptr, out = nullptr;
  check(cublasLtMatrixLayoutCreate(&in, type_of(precision), kRows, kRows, kRows),
        "cublasLtMatrixLayoutCreate");
  in_.reset(in);
  check(cublasLtMatrixLayoutCreate(&out, CUDA_R_32F, kRows, kRows, kRows), "cublasLtMatrixLayoutCreate");
  out_.reset(out);
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>, DestroysPreference> owned(
      preference);
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &kWorkspace, sizeof kWorkspace),
        "cublasLtMatmulPreferenceSetAttribute");
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  check(cublasLtMatmulAlgoGetHeuristic(handle, descriptor, in, in, out, out, preference, 1, &best, &found),
        "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0 || best.state != CUBLAS_STATUS_SUCCESS) throw LibraryError("cuBLAS has no such product");
  algorithm_ = best.algo;
}

void Product::run(const Stream& stream) const {
  const float one = 1, zero = 0;
  check(cublasLtMatmul(handle_.get(), descriptor_.get(), &one, a_.get(), in_.get(), b_.get(), in_.get(),
                       &zero, d_.get(), out_.get(), d_.get(), out_.get(), &algorithm_, workspace_.get(),
                       kWorkspace, stream.get()),
        "cublasLtMatmul");
}

std::string Product::first_wrong(const Stream& stream) const {
  stream.wait();
  for (int i = 0; i < kSampled; ++i) {
    const std::size_t element = mixed(static_cast<std::uint64_t>(i) + kSeedSample) % kElements;
    const std::size_t row = element % kRows, column = element / kRows;
    double sum = 0, magnitude = 0;
    for (std::size_t k = 0; k < kRows; ++k) {
      const double term = eighths(row * kRows + k, kSeedA) * eighths(column * kRows + k, kSeedB) / 64.0;
      sum += term;
      magnitude += std::fabs(term);
    }
    float is = 0;
    check(cudaMemcpy(&is, d_.get() + element, sizeof is, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const double tolerance = precision_ == Precision::fp8 ? kToleranceOf8Bits * magnitude : 0;
    if (std::fabs(static_cast<double>(is) - sum) <= tolerance) continue;  // false for what is no number
    return "element (" + std::to_string(row) + ", " + std::to_string(column) + ") of a product is " +
           std::to_string(is) + ", and should be " + std::to_string(sum);
  }
  return {};
}

std::uint64_t Product::digest(const Stream& stream) const {
  check(cudaMemsetAsync(digest_.get(), 0, sizeof(unsigned long long), stream.get()), "cudaMemsetAsync");
  add_digest<<<kBlocks, kThreads, 0, stream.get()>>>(d_.get(), kElements, digest_.get());
  check(cudaGetLastError(), "the kernel that reads a product");
  unsigned long long sum = 0;
  check(cudaMemcpyAsync(&sum, digest_.get(), sizeof sum, cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync");
  stream.wait();
  return sum;
}

}  // namespace gauntlet::cuda
