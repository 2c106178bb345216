#include "real/probes/link/link_server.hpp"

#include "core/contract.hpp"
#include "real/probes/link/link_session.hpp"
#include "real/probes/link/shared_secret.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kAsksAgainMs = 100;
constexpr int kWaiting = 16;  // hosts that wait for their turn

int bind_and_listen(int socket, const sockaddr* address, socklen_t size) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const int bound = ::bind(socket, address, size);
  return bound == 0 ? ::listen(socket, kWaiting) : bound;
}

}  // namespace

LinkServer::LinkServer(const std::vector<Neighbour>& here, std::string secret) : secret_(std::move(secret)) {
  expect(!secret_.empty(), "who listens for neighbours has a secret");
  for (const Neighbour& each : here) {
    Connected made = open_at(each, AI_PASSIVE, bind_and_listen);
    if (!made.socket) problem_ = each.host + ": " + made.why;
    listening_.push_back(std::move(made.socket));
  }
}

std::uint16_t LinkServer::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(listening_.front().get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

void LinkServer::serve(const std::function<bool()>& goes_on, const std::function<void()>& served) {
  while (goes_on()) {
    std::vector<pollfd> polled;
    for (const Descriptor& each : listening_)
      polled.push_back({.fd = each.get(), .events = POLLIN, .revents = 0});
    if (::poll(polled.data(), polled.size(), kAsksAgainMs) <= 0) continue;
    const auto ready =
        std::find_if(polled.begin(), polled.end(), [](const pollfd& each) { return each.revents != 0; });
    Descriptor accepted(::accept4(ready->fd, nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) continue;
    LinkSocket socket(std::move(accepted));
    if (!prove_secret(socket, LinkRole::server, secret_)) continue;
    serve_link(socket);
    served();
  }
}

}  // namespace gauntlet
