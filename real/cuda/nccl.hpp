// What is called of NCCL: prototypes of our own after its documentation
// (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html), found when the program runs, so that it starts where NCCL is missing.
#pragma once

#include <cstddef>
#include <string>

namespace gauntlet::cuda {

/// Opaque (ncclComm_t).
using Communicator = void*;
/// cudaStream_t, which its header calls a pointer to a structure.
using StreamHandle = void*;

/// Values of ncclDataType_t and ncclRedOp_t.
inline constexpr int kInt8 = 0, kInt32 = 2, kInt64 = 4, kSum = 0;

/// ncclUniqueId: what all ranks of a communicator are told before they make it.
struct CommunicatorId {
  char bytes[128] = {};
};

class Nccl {
 public:
  /// libnccl.so.2, as dlopen(3) finds it.
  Nccl();
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  /// Why there is none; empty: there is.
  const std::string& why_not() const { return why_not_; }
  /// "2.28.3"; empty where it does not say.
  std::string version() const;
  std::string text_of(int result) const;
  /// Throws what device.hpp has for failures, with NCCL's words, where the result is not success.
  void check(int result, const char* call) const;

  int (*init_all)(Communicator* all, int count, const int* devices) = nullptr;
  int (*unique_id)(CommunicatorId*) = nullptr;
  int (*init_rank)(Communicator*, int count, CommunicatorId, int rank) = nullptr;
  /// What went wrong since, as with a connection; in `result`.
  int (*async_error)(Communicator, int* result) = nullptr;
  int (*destroy)(Communicator) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, Communicator,
                    StreamHandle) = nullptr;
  int (*send)(const void* from, std::size_t count, int type, int peer, Communicator, StreamHandle) = nullptr;
  int (*receive)(void* to, std::size_t count, int type, int peer, Communicator, StreamHandle) = nullptr;

 private:
  const char* (*error_string_)(int) = nullptr;
  int (*version_)(int*) = nullptr;
  void* library_ = nullptr;
  std::string why_not_;
};

}  // namespace gauntlet::cuda
