// Serves the copies in the memory of this host to other hosts, and takes theirs: the other end of real/trainer/peer_copies.hpp.
#pragma once

#include "core/time.hpp"
#include "real/checkpointer/host_copies.hpp"
#include "real/trainer/door.hpp"
#include "real/trainer/peer_copies.hpp"

#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace gauntlet {

class CopyServer {
 public:
  /// Listens at `address`, at any port. `copies` outlives this. Throws Failure.
  CopyServer(HostCopies& copies, const std::string& address, std::string secret, Duration patience);
  /// What is being sent or taken is finished, or not held.
  ~CopyServer();
  CopyServer(const CopyServer&) = delete;
  CopyServer& operator=(const CopyServer&) = delete;

  std::uint16_t port() const { return place_.port; }

 private:
  struct Serving {
    std::thread thread{};
    std::atomic<bool> over = false;
  };
  void run();
  void serve(const Door::Guest& guest) const;
  void take(const PeerLink& from, const CopyRequest& request, const Patience& patience) const;

  HostCopies& copies_;
  std::string secret_;
  Duration patience_;
  TcpAddress place_;
  Door door_;
  std::atomic<bool> ending_ = false;
  std::list<Serving> serving_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace gauntlet
