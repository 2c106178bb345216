// The ranks of the job: one communicator of NCCL, and an end to every wait for it.
#pragma once

#include "real/cuda/device.hpp"
#include "real/cuda/nccl.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace gauntlet::cuda {

/// Ends this process with exit code 134 where a wait takes too long, or where NCCL says that a peer is lost: nothing else ends a kernel that waits
/// for a rank which is gone.
class Watch {
 public:
  explicit Watch(std::chrono::nanoseconds longest);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// A wait while it lives. `what`: "all_reduce in step 12".
  class Wait {
   public:
    Wait(Watch& watch, std::string what);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Watch& watch_;
  };
  /// Polls this communicator for errors; null stops that.
  void observe(const Nccl* nccl, Communicator communicator);
  /// Ends this process in the same way where the result says that a peer is lost. Throws as Nccl::check for another error.
  void expect(const Nccl& nccl, int result, const char* call);

 private:
  void run();
  void look();

  const std::chrono::nanoseconds longest_;
  std::mutex mutex_;
  bool waiting_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point until_;
  const Nccl* nccl_ = nullptr;
  Communicator communicator_ = nullptr;
  std::atomic<bool> ending_ = false;
  std::thread thread_;  // last: it uses the rest
};

class Gang {
 public:
  struct Settings {
    int rank = 0, ranks = 1;
    bool shared = false;  // ranks share a GPU: NCCL then takes each for a host of its own
  };
  /// Meets all ranks: rank 0 listens at MASTER_ADDR and MASTER_PORT. Where another rank is lost, here and in sum(), this process ends with
  /// exit code 134. Throws LibraryError and Error.
  Gang(const Settings& settings, Watch& watch);
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;
  ~Gang();

  /// The sum over all ranks, in place, behind what is on the stream.
  void sum(std::int64_t* values, std::size_t count, const Stream& stream);

 private:
  Nccl nccl_;
  Watch& watch_;
  Communicator communicator_ = nullptr;
};

}  // namespace gauntlet::cuda
