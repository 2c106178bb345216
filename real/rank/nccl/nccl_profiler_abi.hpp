// What NCCL and a profiler plugin pass to each other, in versions 4 (NCCL 2.27 and later) and 5 of the interface, as far as it is used here.
// Source of the layout: the headers of https://github.com/NVIDIA/nccl, src/include/plugin/profiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gauntlet::nccl {

using Result = int;
inline constexpr Result kSuccess = 0;

/// Kinds of events: bits of what a plugin asks for.
inline constexpr int kGroup = 1 << 0;
inline constexpr int kCollective = 1 << 1;
inline constexpr int kPointToPoint = 1 << 2;
inline constexpr int kKernelChannel = 1 << 6;

struct CollectiveCall {
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* datatype;
  std::uint8_t channels;  // each of which tells of its part of the kernel
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct PointToPointCall {
  const char* function;
  void* buffer;
  const char* datatype;
  std::size_t count;
  int peer;
  std::uint8_t channels;
};

/// `Type` is all that differs between the versions: one byte, or eight.
template <class Type>
struct Event {
  Type type;
  void* parent;  // of a kernel's channel: what the plugin gave for its call
  int rank;
  union {
    CollectiveCall collective;
    PointToPointCall point_to_point;
  };
};

/// Events of NCCL may be longer than those that this plugin reads, never shorter.
template <class Type>
struct Functions {
  Result (*start)(void* context, void** handle, Event<Type>* event);
  Result (*stop)(void* handle);
  Result (*state)(void* handle, int state, void* arguments);
  Result (*finalize)(void* context);
};

using Log = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

struct Profiler4 {
  const char* name;
  Result (*init)(void** context, int* wanted, const char* communicator, std::uint64_t id, int nodes,
                 int ranks, int rank, Log log);
  Functions<std::uint8_t> functions;
};
struct Profiler5 {
  const char* name;
  Result (*init)(void** context, std::uint64_t id, int* wanted, const char* communicator, int nodes,
                 int ranks, int rank, Log log);
  Functions<std::uint64_t> functions;
};

}  // namespace gauntlet::nccl
