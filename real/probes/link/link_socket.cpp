#include "real/probes/link/link_socket.hpp"

#include "core/time.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace gauntlet {
namespace {

constexpr timeval kLinkSilence = {.tv_sec = 5, .tv_usec = 0};
// In a drill both ends are told at once, and the one that listens may be the later one.
constexpr Duration kNeighbourListens = std::chrono::seconds(5);
constexpr Duration kLooksAgain = std::chrono::milliseconds(50);
// What waits in the kernel to be sent for the first time: an upload ends soon after its time also on a slow link.
constexpr int kMostUnsent = 128 << 10;

struct AddressDeleter {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, AddressDeleter>;

Addresses addresses_of(const Neighbour& where, int flags, std::string& why) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(where.host.empty() ? nullptr : where.host.c_str(),
                                   std::to_string(where.port).c_str(), &wanted, &found);
  if (failed != 0) why = ::gai_strerror(failed);
  return Addresses(failed == 0 ? found : nullptr);
}

Descriptor socket_for(const addrinfo& address) {
  Descriptor made(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  // A connect(2) too ends after it.
  if (made) ::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &kLinkSilence, sizeof kLinkSilence);
  return made;
}

}  // namespace

LinkSocket::LinkSocket(Descriptor connected) : socket_(std::move(connected)) {
  const int on = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kLinkSilence, sizeof kLinkSilence);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &kLinkSilence, sizeof kLinkSilence);
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent, sizeof kMostUnsent);
}

bool LinkSocket::send(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t LinkSocket::receive(std::span<char> into) {
  ssize_t got = 0;
  do {
    got = ::recv(socket_.get(), into.data(), into.size(), 0);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

bool LinkSocket::receive_all(std::span<char> into) {
  while (!into.empty()) {
    const std::size_t got = receive(into);
    if (got == 0) return false;
    into = into.subspan(got);
  }
  return true;
}

std::uint32_t LinkSocket::retransmitted() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  const bool known = ::getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  return known ? info.tcpi_total_retrans : 0;
}

Connected open_at(const Neighbour& where, int flags, const OpenSocket& open) {
  Connected out{.socket = {}, .error = EADDRNOTAVAIL};
  const Addresses addresses = addresses_of(where, flags, out.why);
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    out.socket = socket_for(*each);
    if (out.socket && open(out.socket.get(), each->ai_addr, each->ai_addrlen) == 0)
      return {.socket = std::move(out.socket)};
    out.error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    out.why = std::strerror(out.error);
    out.socket.reset();
  }
  return out;
}

Connected connect_to(const Neighbour& neighbour) {
  const auto until = std::chrono::steady_clock::now() + kNeighbourListens;
  while (true) {
    Connected out = open_at(neighbour, 0, ::connect);
    if (out.error != ECONNREFUSED || std::chrono::steady_clock::now() >= until) return out;
    std::this_thread::sleep_for(kLooksAgain);
  }
}

}  // namespace gauntlet
