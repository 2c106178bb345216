#include "real/device_trainer/gang.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gauntlet::cuda {
namespace {

constexpr int kCollectiveTimeout = 134;              // as a process that NCCL's watchdog ends: 128 + SIGABRT
constexpr std::chrono::milliseconds kLookEvery{10};  // the longest delay before a lost peer is noticed
constexpr int kSuccess = 0, kSystemError = 2, kInternalError = 3, kRemoteError = 6;  // ncclResult_t

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "collective failed: %s\n", why.c_str());
  std::fflush(stderr);
  std::_Exit(kCollectiveTimeout);
}

/// What NCCL says where a connection ended; the others are of this rank's own GPU, or of a wrong call.
bool is_of_peer(int result) {
  return result == kSystemError || result == kInternalError || result == kRemoteError;
}

void set(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw LibraryError(std::string("no room for $") + name);
}

std::string required(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0')
    throw LibraryError(std::string(name) + " is not set: it names where rank 0 listens");
  return value;
}

}  // namespace

Watch::Watch(std::chrono::nanoseconds longest) : longest_(longest), thread_([this] { run(); }) {}

Watch::~Watch() {
  ending_ = true;
  thread_.join();
}

Watch::Wait::Wait(Watch& watch, std::string what) : watch_(watch) {
  const std::lock_guard lock(watch.mutex_);
  watch.waiting_ = true;
  watch.what_ = std::move(what);
  watch.until_ = std::chrono::steady_clock::now() + watch.longest_;
}

Watch::Wait::~Wait() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.waiting_ = false;
}

void Watch::observe(const Nccl* nccl, Communicator communicator) {
  const std::lock_guard lock(mutex_);
  nccl_ = nccl;
  communicator_ = communicator;
}

void Watch::expect(const Nccl& nccl, int result, const char* call) {
  const std::lock_guard lock(mutex_);
  if (is_of_peer(result)) give_up(what_ + ": " + nccl.text_of(result));
  nccl.check(result, call);
}

void Watch::look() {
  const std::lock_guard lock(mutex_);
  if (!waiting_) return;
  int result = kSuccess;
  if (nccl_ != nullptr && nccl_->async_error(communicator_, &result) == kSuccess && is_of_peer(result))
    give_up(what_ + ": " + nccl_->text_of(result));
  if (std::chrono::steady_clock::now() > until_) give_up(what_ + " took longer than the timeout");
}

void Watch::run() {
  while (!ending_) {
    look();
    std::this_thread::sleep_for(kLookEvery);
  }
}

Gang::Gang(const Settings& settings, Watch& watch) : watch_(watch) {
  if (!nccl_.why_not().empty()) throw LibraryError(nccl_.why_not());
  if (settings.shared) set("NCCL_HOSTID", "rank-" + std::to_string(settings.rank));
  CommunicatorId id;
  if (settings.ranks > 1) {
    // With it every rank makes the id, and rank 0 listens there:
    // https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-comm-id
    set("NCCL_COMM_ID", required("MASTER_ADDR") + ":" + required("MASTER_PORT"));
  }
  nccl_.check(nccl_.unique_id(&id), "ncclGetUniqueId");
  const Watch::Wait wait(watch, "meeting the other ranks");
  watch.expect(nccl_, nccl_.init_rank(&communicator_, settings.ranks, id, settings.rank), "ncclCommInitRank");
  watch_.observe(&nccl_, communicator_);
}

Gang::~Gang() {
  watch_.observe(nullptr, nullptr);
  const Watch::Wait wait(watch_, "leaving the other ranks");
  nccl_.destroy(communicator_);
}

void Gang::sum(std::int64_t* values, std::size_t count, const Stream& stream) {
  watch_.expect(nccl_, nccl_.all_reduce(values, values, count, kInt64, kSum, communicator_, stream.get()),
                "ncclAllReduce");
}

}  // namespace gauntlet::cuda
