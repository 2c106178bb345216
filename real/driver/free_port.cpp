#include "real/driver/free_port.hpp"

#include "real/agent/descriptor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace gauntlet {

/// Binds, and never listens.
std::uint16_t free_port(std::uint16_t last) {
  std::uint16_t port = last;
  while (port == last) {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no port is free for the ranks to meet at: " +
                               std::generic_category().message(errno));
    port = ntohs(address.sin_port);
  }
  return port;
}

}  // namespace gauntlet
