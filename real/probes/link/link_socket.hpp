// A TCP connection between two hosts that measure their link.
#pragma once

#include "real/system/descriptor.hpp"

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace gauntlet {

/// Blocks. An end that neither sends nor takes anything for 5 s counts as gone.
class LinkSocket {
 public:
  explicit LinkSocket(Descriptor connected);

  /// False where the other end is gone.
  bool send(std::span<const char> bytes);
  bool receive_all(std::span<char> into);
  /// At least one byte; 0 where the other end is gone.
  std::size_t receive(std::span<char> into);
  /// Segments that were sent again so far (TCP_INFO of tcp(7)).
  std::uint32_t retransmitted() const;

 private:
  Descriptor socket_;
};

/// A host to measure the link to, where `gauntlet probe --serve` or an agent listens.
struct Neighbour {
  std::string host;
  std::uint16_t port = 0;
};

struct Connected {
  Descriptor socket;  // empty: not connected
  int error = 0;      // the errno
  std::string why{};
};

/// As connect(2) and bind(2): 0, or -1 with errno.
using OpenSocket = std::function<int(int socket, const sockaddr* address, socklen_t size)>;

/// A socket for the first address of the host for which `open` returns 0. `flags`: of getaddrinfo(3). A name that cannot be resolved is
/// EADDRNOTAVAIL.
Connected open_at(const Neighbour& where, int flags, const OpenSocket& open);

/// Waits a few seconds for the neighbour to listen.
Connected connect_to(const Neighbour& neighbour);

}  // namespace gauntlet
