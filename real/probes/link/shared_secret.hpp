// The proof that both ends of a connection have one secret, which neither of them sends.
#pragma once

#include "real/probes/link/link_socket.hpp"

#include <string>

namespace gauntlet {

enum class LinkRole : char { client = 'c', server = 's' };

/// Each end sends 32 random bytes, and then the HMAC-SHA256 (RFC 2104) of its role and the bytes of both; the server proves itself
/// after the client. False where the other end has another secret, is gone, or no random bytes are to be had.
bool prove_secret(LinkSocket& socket, LinkRole own, const std::string& secret);

}  // namespace gauntlet
