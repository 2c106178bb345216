#include "real/trainer/tcp.hpp"

#include "core/contract.hpp"
#include "core/problem.hpp"
#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/output.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace gauntlet {
namespace {

constexpr int kWaitingConnections = 4096;  // the kernel takes fewer if net.core.somaxconn is lower

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

[[noreturn]] void fail(const std::string& what, int error, const std::string& suggestion = {}) {
  throw Failure(
      {.what = what, .why = "(" + std::generic_category().message(error) + ")", .suggestion = suggestion});
}

std::string view(const TcpAddress& place) {
  return {place.address.data(), ::strnlen(place.address.data(), place.address.size())};
}

TcpAddress tcp_address(const Address& address) {
  TcpAddress place;
  const void* bytes = nullptr;
  if (address.storage.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address.storage);
    bytes = &six.sin6_addr;
    place.port = ntohs(six.sin6_port);
  } else {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address.storage);
    bytes = &four.sin_addr;
    place.port = ntohs(four.sin_port);
  }
  expect(::inet_ntop(address.storage.ss_family, bytes, place.address.data(), place.address.size()) != nullptr,
         "addresses of the internet have a text");
  return place;
}

Address address_of(const TcpAddress& place) {
  Address address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (::inet_pton(AF_INET, view(place).c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(place.port);
    address.size = sizeof four;
  } else {
    expect(::inet_pton(AF_INET6, view(place).c_str(), &six.sin6_addr) == 1, "places have numeric addresses");
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(place.port);
    address.size = sizeof six;
  }
  return address;
}

PeerLink new_socket(const Address& address) {
  PeerLink link(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!link) fail("cannot make a socket", errno);
  return link;
}

void set(const PeerLink& link, int level, int option) {
  const int on = 1;
  if (::setsockopt(link.descriptor(), level, option, &on, sizeof on) != 0)
    fail("cannot set an option of a socket", errno);
}

/// Nobody listens there now, or no way leads there now.
bool may_change(int error) {
  return error == ECONNREFUSED || error == ECONNRESET || error == ECONNABORTED || error == ETIMEDOUT ||
         error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN || error == EHOSTDOWN ||
         error == EAGAIN || error == EINTR;
}

/// 0 where it is connected.
int wait_until_connected(const PeerLink& link, const Patience& patience) {
  while (true) {
    const std::int64_t left_ns = patience.until_ns - monotonic_ns();
    if (left_ns <= 0) return ETIMEDOUT;
    std::array<pollfd, 2> waits{pollfd{.fd = link.descriptor(), .events = POLLOUT, .revents = 0},
                                pollfd{.fd = patience.reader, .events = 0, .revents = 0}};
    ::poll(waits.data(), waits.size(),
           static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000)));
    if ((waits[1].revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
    if (waits[0].revents == 0) continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(link.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
}

}  // namespace

std::string TcpAddress::text() const {
  const bool six = view(*this).find(':') != std::string::npos;
  return (six ? "[" : "") + view(*this) + (six ? "]" : "") + ":" + std::to_string(port);
}

TcpAddress tcp_address(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> kept(found, [](addrinfo* each) {
    if (each != nullptr) ::freeaddrinfo(each);
  });
  if (error != 0 || found == nullptr || found->ai_addrlen > sizeof(sockaddr_storage))
    throw Failure({.what = "\"" + host + "\"",
                   .why = std::string("is not the address of a host: ") + ::gai_strerror(error),
                   .suggestion = {}});
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  TcpAddress place = tcp_address(address);
  place.port = port;
  return place;
}

PeerLink listen_at(TcpAddress& place) {
  if (view(place) == "0.0.0.0" || view(place) == "::")
    throw Failure({.what = place.text(),
                   .why = "would be every interface of this host",
                   .suggestion = "name the address of one"});
  Address address = address_of(place);
  PeerLink listener = new_socket(address);
  set(listener, SOL_SOCKET, SO_REUSEADDR);  // connections of an earlier start may still be in TIME_WAIT
  if (::bind(listener.descriptor(), address.generic(), address.size) != 0 ||
      ::listen(listener.descriptor(), kWaitingConnections) != 0 ||
      ::getsockname(listener.descriptor(), address.generic(), &address.size) != 0)
    fail(place.text() + " cannot be listened on", errno, "name a free port and an address of this host");
  place = tcp_address(address);
  return listener;
}

PeerLink accept_from(const PeerLink& listener) {
  PeerLink link(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (link) set(link, IPPROTO_TCP, TCP_NODELAY);
  return link;
}

std::optional<PeerLink> connect_to(const TcpAddress& place, const TcpAddress& own, const Patience& patience) {
  const Address to = address_of(place);
  PeerLink link = new_socket(to);
  set(link, IPPROTO_TCP, TCP_NODELAY);
  if (!view(own).empty()) {
    const Address from = address_of({.address = own.address, .port = 0});
    set(link, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
    if (::bind(link.descriptor(), from.generic(), from.size) != 0)
      fail(view(own) + " cannot be connected from", errno, "name an address of this host");
  }
  int error = 0;
  if (::connect(link.descriptor(), to.generic(), to.size) != 0) error = errno;
  if (error == EINPROGRESS) error = wait_until_connected(link, patience);
  if (error == 0) return link;
  if (may_change(error)) return std::nullopt;
  fail(place.text() + " cannot be connected to", error);
}

TcpAddress own_address(const PeerLink& link) {
  Address address;
  if (::getsockname(link.descriptor(), address.generic(), &address.size) != 0)
    fail("cannot ask a socket for its address", errno);
  TcpAddress place = tcp_address(address);
  place.port = 0;
  return place;
}

std::string other_end(const PeerLink& link) {
  Address address;
  if (::getpeername(link.descriptor(), address.generic(), &address.size) != 0) return "somebody";
  return tcp_address(address).text();
}

bool is_closed(const PeerLink& link) {
  char byte = 0;
  const ssize_t count = ::recv(link.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace gauntlet
