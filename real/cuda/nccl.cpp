#include "real/cuda/nccl.hpp"

#include "real/cuda/device.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <type_traits>

namespace gauntlet::cuda {
namespace {

// Values of ncclResult_t that speak of a GPU or a peer. The others are the system's, as too little shared memory, or the caller's.
constexpr int kUnhandledCudaError = 1, kRemoteError = 6;

}  // namespace

Nccl::Nccl() {
  // It stays until the program ends: threads of its own may outlive its communicators.
  library_ = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library_ == nullptr) {
    const char* const why = ::dlerror();
    why_not_ = std::string("NCCL is not here: ") + (why == nullptr ? "libnccl.so.2" : why);
    return;
  }
  const auto find = [this](const char* name, auto& into) {
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(::dlsym(library_, name));
    if (into == nullptr && why_not_.empty()) why_not_ = std::string("this NCCL has no ") + name;
  };
  find("ncclCommInitAll", init_all);
  find("ncclGetUniqueId", unique_id);
  find("ncclCommInitRank", init_rank);
  find("ncclCommGetAsyncError", async_error);
  find("ncclCommDestroy", destroy);
  find("ncclGroupStart", group_start);
  find("ncclGroupEnd", group_end);
  find("ncclAllReduce", all_reduce);
  find("ncclSend", send);
  find("ncclRecv", receive);
  find("ncclGetErrorString", error_string_);
  find("ncclGetVersion", version_);
}

Nccl::~Nccl() {
  if (library_ != nullptr) ::dlclose(library_);
}

std::string Nccl::version() const {
  int version = 0;
  if (version_ == nullptr || version_(&version) != 0) return {};
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

std::string Nccl::text_of(int result) const {
  const char* const words = error_string_ == nullptr ? nullptr : error_string_(result);
  return words == nullptr ? std::to_string(result) : words;
}

void Nccl::check(int result, const char* call) const {
  if (result == 0) return;
  const std::string why = std::string(call) + ": " + text_of(result);
  if (result == kUnhandledCudaError || result == kRemoteError) throw std::runtime_error(why);
  throw LibraryError(why);
}

}  // namespace gauntlet::cuda
