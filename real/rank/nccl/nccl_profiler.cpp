// A profiler plugin of NCCL that records the collectives of an unmodified job: NCCL_PROFILER_PLUGIN names this library, and an agent reads
// the recorder where a rank hangs or ends.
//
// The recorder is that of gauntlet_rank.h, in the file $GAUNTLET_NCCL_MARKS followed by $RANK. A call of NCCL puts work on a stream, far
// ahead of the device. So a collective is entered when its kernel begins on the first channel of the device, and left when no channel that
// began is still running: a rank whose device hangs before a collective has not entered it. The calls of communicators of one name have
// numbers of their own here, collectives apart from sends and receives, since NCCL's are of each function. Without the variables, and outside a drill,
// nothing is recorded. NCCL's progress threads call it too.
//
// NCCL holds no pointers of ours: a handle is a number, and one of a call that is long gone is ignored. How many channels a call has is not
// relied on: NCCL has announced more than it used (https://github.com/NVIDIA/nccl/issues/2056).
#include "real/rank/gauntlet_rank.h"
#include "real/rank/nccl/nccl_profiler_abi.hpp"

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace gauntlet::nccl {
namespace {

constexpr std::size_t kLongest = sizeof(gauntlet_rank_mark::name);  // of a name
using Name = std::array<char, kLongest + 1>;
// That may be on their way. A host runs some hundred collectives ahead, of which an all-to-all over 64 ranks is 128 calls: assumption.
constexpr std::uint64_t kCalls = 1 << 15;
constexpr int kWanted = kGroup | kCollective | kPointToPoint | kKernelChannel;

/// How many there were so far. Communicators of one name count together: a number is used once.
struct Numbers {
  std::int64_t collectives = 0, messages = 0;
};
struct Communicator {
  Name name{};
  Numbers* numbers = nullptr;
};

struct Call {
  std::uint64_t id = 0;  // 0: none
  Name name{}, group{};
  std::int64_t number = 0;
  unsigned running = 0;  // channels
};

/// What NCCL holds between start and stop: the call's id, and whether it is of a channel. Ids begin at 2, so that neither is null nor that
/// of a group.
void* handle_of(std::uint64_t id, bool channel) {
  return reinterpret_cast<void*>(2 * id + (channel ? 1 : 0));
}
std::uint64_t number_of(void* handle) { return reinterpret_cast<std::uint64_t>(handle); }
void* const kGroupHandle = reinterpret_cast<void*>(1);

/// All of a process. Never destroyed: NCCL's threads may call until the end.
struct Recorder {
  std::mutex mutex;
  gauntlet_rank rank{};
  std::array<Call, kCalls> calls{};
  std::uint64_t newest = 1;
  std::map<Name, Numbers> numbers{};  // by communicator

  void put(std::uint32_t what, const Call& call) {
    gauntlet_rank_put(&rank, gauntlet_rank_now(), what, call.number, call.name.data(), call.group.data());
  }
  /// In the place of the oldest call, but for one that runs: that one is to be left, or is where a rank hangs.
  Call& add() {
    for (std::uint64_t tried = 0; ++newest, ++tried < kCalls && calls[newest % kCalls].running > 0;) {
    }
    Call& call = calls[newest % kCalls];
    call = {};
    call.id = newest;
    return call;
  }
  /// Null where it was overwritten.
  Call* find(std::uint64_t id) {
    Call& call = calls[id % kCalls];
    return id > 1 && call.id == id ? &call : nullptr;
  }
};

Recorder* recorder() {
  static Recorder* const only = []() -> Recorder* {
    const char* const prefix = std::getenv("GAUNTLET_NCCL_MARKS");
    const char* const number = std::getenv("RANK");
    if (prefix == nullptr || number == nullptr) return nullptr;
    auto* made = new (std::nothrow) Recorder;
    if (made == nullptr) return nullptr;
    made->rank.socket = -1;
    made->rank.number = std::atoi(number);
    gauntlet_rank_open_recorder(&made->rank, prefix);
    return made;
  }();
  return only;
}

/// A longer name keeps its begin, and digits of the id: those of a job often begin alike.
void put_name(Name& into, const char* name, std::uint64_t id) {
  if (name == nullptr || *name == '\0')
    std::snprintf(into.data(), into.size(), "%016" PRIx64, id);
  else if (std::strlen(name) <= kLongest)
    std::snprintf(into.data(), into.size(), "%s", name);
  else
    std::snprintf(into.data(), into.size(), "%.9s~%06x", name, static_cast<unsigned>(id & 0xffffff));
}

/// What is wanted is one word for all communicators of NCCL, which other threads read meanwhile: it never changes.
Result init(void** context, int* wanted, const char* name, std::uint64_t id) {
  *context = nullptr;
  const bool records = recorder() != nullptr && recorder()->rank.recorder != nullptr;
  __atomic_store_n(wanted, records ? kWanted : 0, __ATOMIC_RELAXED);
  if (!records) return kSuccess;
  try {
    auto made = std::make_unique<Communicator>();
    put_name(made->name, name, id);
    const std::lock_guard lock(recorder()->mutex);
    made->numbers = &recorder()->numbers[made->name];
    *context = made.release();
  } catch (const std::bad_alloc&) {  // a communicator that is not recorded
  }
  return kSuccess;
}

Result init4(void** context, int* wanted, const char* name, std::uint64_t id, int, int, int, Log) {
  return init(context, wanted, name, id);
}
Result init5(void** context, std::uint64_t id, int* wanted, const char* name, int, int, int, Log) {
  return init(context, wanted, name, id);
}

/// A call that a host makes; it has its number among those of its kind.
template <class... Arguments>
void* add_call(Recorder& all, const Communicator& communicator, std::int64_t Numbers::*kind,
               const char* format, Arguments... arguments) {
  Call& call = all.add();
  call.number = ++(communicator.numbers->*kind);
  call.group = communicator.name;
  std::snprintf(call.name.data(), call.name.size(), format, arguments...);
  return handle_of(call.id, false);
}

const char* or_nothing(const char* function) { return function == nullptr ? "" : function; }

template <class Type>
Result start(void* context, void** handle, Event<Type>* event) {
  *handle = nullptr;
  if (context == nullptr) return kSuccess;
  const auto type = static_cast<int>(event->type);
  if (type == kGroup)
    *handle = kGroupHandle;  // NCCL 2.27 tells of the calls in a group alone whose start had a handle
  if (type != kCollective && type != kPointToPoint && type != kKernelChannel) return kSuccess;
  Recorder& all = *recorder();
  const std::lock_guard lock(all.mutex);
  if (type == kKernelChannel) {  // of whatever communicator
    Call* const call = all.find(number_of(event->parent) / 2);
    if (call == nullptr) return kSuccess;
    if (call->running++ == 0) all.put(GAUNTLET_RANK_ENTERED, *call);
    *handle = handle_of(call->id, true);
    return kSuccess;
  }
  const auto& communicator = *static_cast<Communicator*>(context);
  if (type == kCollective)
    *handle =
        add_call(all, communicator, &Numbers::collectives, "%s", or_nothing(event->collective.function));
  else
    *handle = add_call(all, communicator, &Numbers::messages, "%.8s %d",
                       or_nothing(event->point_to_point.function), event->point_to_point.peer);
  return kSuccess;
}

Result stop(void* handle) {
  const std::uint64_t number = number_of(handle);
  if (number % 2 == 0) return kSuccess;  // a call has returned; its kernel may not have begun
  Recorder* const all = recorder();
  if (all == nullptr) return kSuccess;
  const std::lock_guard lock(all->mutex);
  Call* const call = all->find(number / 2);
  if (call != nullptr && call->running > 0 && --call->running == 0) all->put(GAUNTLET_RANK_LEFT, *call);
  return kSuccess;
}

Result state(void*, int, void*) { return kSuccess; }

Result finalize(void* context) {
  delete static_cast<Communicator*>(context);
  return kSuccess;
}

template <class Type>
constexpr Functions<Type> kFunctions = {
    .start = start<Type>, .stop = stop, .state = state, .finalize = finalize};

}  // namespace
}  // namespace gauntlet::nccl

// NCCL looks for these names.
extern "C" {
__attribute__((visibility("default"))) extern const gauntlet::nccl::Profiler4 ncclProfiler_v4;
__attribute__((visibility("default"))) extern const gauntlet::nccl::Profiler5 ncclProfiler_v5;
const gauntlet::nccl::Profiler4 ncclProfiler_v4 = {
    .name = "Gauntlet", .init = gauntlet::nccl::init4, .functions = gauntlet::nccl::kFunctions<std::uint8_t>};
const gauntlet::nccl::Profiler5 ncclProfiler_v5 = {.name = "Gauntlet",
                                                   .init = gauntlet::nccl::init5,
                                                   .functions = gauntlet::nccl::kFunctions<std::uint64_t>};
}
