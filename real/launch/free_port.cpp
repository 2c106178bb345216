#include "real/launch/free_port.hpp"

#include "real/driver/random_digits.hpp"
#include "real/system/descriptor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>
#include <string>

namespace gauntlet {
namespace {

/// Binds, and never listens.
bool is_free(std::uint16_t port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::uint16_t next_meeting_port(std::uint16_t last) {
  constexpr int kHexadecimal = 16;
  const std::uint32_t number =
      last != 0 ? last - kFirstMeetingPort + 1U
                : static_cast<std::uint32_t>(std::stoul(random_digits(4), nullptr, kHexadecimal));
  return static_cast<std::uint16_t>(kFirstMeetingPort + number % kMeetingPorts);
}

std::uint16_t free_port(std::uint16_t last) {
  for (std::uint16_t i = 0; i < kMeetingPorts; ++i) {
    last = next_meeting_port(last);
    if (is_free(last)) return last;
  }
  throw std::runtime_error("no port is free for the ranks to meet at, from " +
                           std::to_string(kFirstMeetingPort) + " to " +
                           std::to_string(kFirstMeetingPort + kMeetingPorts - 1));
}

}  // namespace gauntlet
