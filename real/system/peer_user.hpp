// Whose process is at the other end of a Unix socket. Modes of files decide who may connect; this holds where they were opened.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>

namespace gauntlet {

/// Nothing where the system does not say.
inline std::optional<ucred> process_at_other_end(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}
inline std::optional<uid_t> user_at_other_end(int connection) {
  const std::optional<ucred> peer = process_at_other_end(connection);
  return peer ? std::optional(peer->uid) : std::nullopt;
}

/// Whether a process of `own` heeds one of `user`.
inline bool may_command(uid_t user, uid_t own) { return user == own || user == 0; }

}  // namespace gauntlet
