// A connection to another rank, and the one way to wait for it.
//
// A peer that is gone, or that no way leads to any more, is waited for like one that is stopped: as NCCL does, a rank hangs on a dead peer, and only a
// timeout of its own ends that (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html, "Fault
// tolerance"; https://pytorch.org/docs/stable/distributed.html, `timeout` of init_process_group).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gauntlet {

/// Owns a connected, non-blocking stream socket.
class PeerLink {
 public:
  PeerLink() = default;
  explicit PeerLink(int descriptor) : descriptor_(descriptor) {}
  PeerLink(PeerLink&& other) noexcept;
  PeerLink& operator=(PeerLink&& other) noexcept;
  ~PeerLink();

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// What is to go out or to come in over a link; nothing where there is no link.
struct Sending {
  const PeerLink* to = nullptr;
  std::span<const std::byte> bytes;
};
struct Receiving {
  const PeerLink* from = nullptr;
  std::span<std::byte> bytes;
};

enum class TransferEnd : std::uint8_t { complete, timed_out, closed };
/// `tell` ends with TransferEnd::closed.
enum class OnClose : std::uint8_t { wait, tell };

struct Patience {
  std::int64_t until_ns = 0;  // CLOCK_MONOTONIC
  int reader = -1;            // of what we tell: when it is gone, the process ends; -1: nobody listens
  OnClose on_close = OnClose::wait;
};

/// Both at once, so that a ring of ranks that all send cannot block itself. Data that is there is taken even after the
/// deadline: a rank that was stopped itself finds its clock ahead and its peers' data waiting.
TransferEnd transfer(Sending sending, Receiving receiving, const Patience& patience);

/// What is there already, without waiting: `bytes` is what is left to come. timed_out where that is something.
TransferEnd receive_now(Receiving& receiving);

}  // namespace gauntlet
