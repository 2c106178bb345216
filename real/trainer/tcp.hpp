// TCP sockets of ranks. They behave as NCCL's do: no keep-alive and no timeout of the system ends a connection early, small messages leave
// at once, and what a link loses is sent again until the link is back. TCP's back-off doubles (RFC 6298, sec. 5.5), so after an outage it can take as
// long again until a connection goes on.
#pragma once

#include "real/trainer/link.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

/// Where a socket listens. As bytes, so that it travels as it is.
struct TcpAddress {
  std::array<char, 46> address{};  // IPv4 or IPv6 as text, ended by a zero (INET6_ADDRSTRLEN)
  std::uint16_t port = 0;

  std::string text() const;
};

/// The address of a host, by its name or as it is. Throws Failure.
TcpAddress tcp_address(const std::string& host, std::uint16_t port);

/// Listens there alone. Port 0: one that the kernel chooses, and `place` names it afterwards. Throws Failure.
PeerLink listen_at(TcpAddress& place);
/// Whoever has connected; nothing where nobody has.
PeerLink accept_from(const PeerLink& listener);
/// From the address of `own` and any port, unless it has none. Nothing where nobody listens there or no way leads there: that may change, and the caller tries
/// again. Waits for an answer no longer than `patience`.
std::optional<PeerLink> connect_to(const TcpAddress& place, const TcpAddress& own, const Patience& patience);

/// This end of a connection, with port 0. Throws Failure.
TcpAddress own_address(const PeerLink& link);
/// The other end, for messages; "somebody" where it is gone.
std::string other_end(const PeerLink& link);
/// Whether the other end has closed it, and nothing is left to read.
bool is_closed(const PeerLink& link);

}  // namespace gauntlet
