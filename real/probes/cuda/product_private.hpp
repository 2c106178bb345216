// A product of two square matrices on tensor cores (cuBLASLt), whose exact result is known.
#pragma once

#include "real/cuda/device.hpp"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gauntlet::cuda {

enum class Precision { bf16, fp16, fp8, fp32 };

/// D = A^T B with elements of A and B in eighths from -1 to 1, which every precision holds exactly. Every partial sum of D is a multiple of
/// 1/64 and at most 8192, so that single precision adds them exactly in any order; the tensor cores of 8-bit products round.
class Product {
 public:
  static constexpr std::size_t kRows = 8192;  // of them sums have 20 bits, and the rate is the full one

  /// Throws LibraryError where cuBLAS has no such product for this GPU.
  explicit Product(Precision precision);

  /// Why this GPU has no such product; else empty.
  static std::string why_not(Precision precision);
  /// Why it has no room for it at present; else empty.
  static std::string too_little_memory(Precision precision);

  void run(const Stream& stream) const;
  static double flop() { return 2.0 * kRows * kRows * kRows; }
  /// The first element of a sample that is not what it should be, as text; empty where there is none.
  std::string first_wrong(const Stream& stream) const;
  /// A number that depends on every bit of the result.
  std::uint64_t digest(const Stream& stream) const;

 private:
  struct Destroys {
    void operator()(cublasLtHandle_t handle) const { cublasLtDestroy(handle); }
    void operator()(cublasLtMatmulDesc_t descriptor) const { cublasLtMatmulDescDestroy(descriptor); }
    void operator()(cublasLtMatrixLayout_t layout) const { cublasLtMatrixLayoutDestroy(layout); }
  };
  template <class Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroys>;

  Precision precision_;
  DeviceMemory<std::byte> a_, b_, workspace_;
  DeviceMemory<float> d_;
  DeviceMemory<unsigned long long> digest_;
  Owned<cublasLtHandle_t> handle_;
  Owned<cublasLtMatmulDesc_t> descriptor_;
  Owned<cublasLtMatrixLayout_t> in_, out_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace gauntlet::cuda
