#include "real/signals/link_state.hpp"

#include "real/system/descriptor.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace gauntlet {
namespace {

Descriptor socket_for_requests() { return Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

bool read_flags(const Descriptor& socket, const std::string& interface, ifreq& out) {
  std::memset(&out, 0, sizeof out);
  if (interface.empty() || interface.size() >= sizeof out.ifr_name) {
    errno = ENODEV;
    return false;
  }
  std::memcpy(out.ifr_name, interface.data(), interface.size());
  return ::ioctl(socket.get(), SIOCGIFFLAGS, &out) == 0;
}

}  // namespace

LinkState link_state(const std::string& interface) {
  const Descriptor socket = socket_for_requests();
  ifreq found{};
  if (!socket || !read_flags(socket, interface, found)) return LinkState::unknown;
  const unsigned both = IFF_UP | IFF_RUNNING;
  return (static_cast<unsigned>(found.ifr_flags) & both) == both ? LinkState::up : LinkState::down;
}

std::string set_link(const std::string& interface, LinkState state) {
  const Descriptor socket = socket_for_requests();
  ifreq request{};
  const auto failed = [&] {
    return "interface " + interface + " cannot be set " + (state == LinkState::up ? "up" : "down") + ": " +
           std::generic_category().message(errno);
  };
  if (!socket || !read_flags(socket, interface, request)) return failed();
  const int flags = request.ifr_flags;
  request.ifr_flags = static_cast<short>(state == LinkState::up ? flags | IFF_UP : flags & ~IFF_UP);
  return ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0 ? "" : failed();
}

}  // namespace gauntlet
