// What a rank and the checkpointer of its host say to each other, over a Unix socket of type SOCK_SEQPACKET: one JSON object a message.
//
//   rank            {"hello": ...}                      once
//                   {"write": step, "copy": file, "reach": tier}
//                   {"peers": [address, ...]}           hosts that hold its copies too, from now on
//   checkpointer    {"listens": port}                   to hello; 0: other hosts cannot reach it
//                   {"saved": step}   {"failed": step, "why": text}   {"not_removed": text}
//                   {"done": step}                      to each write, last
#pragma once

#include "core/tier.hpp"
#include "core/time.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

/// Who a rank is, and how its copies become checkpoints.
struct RankHello {
  std::uint32_t rank = 0;
  StartNumber start = 0;
  std::uint64_t state_bytes = 0;
  JobIdentity job;
  std::string directory;  // of the checkpoints
  Retention retention{};
  Duration
      longest_wait{};  // of rank 0, for the shards of the other ranks; of any rank, for a copy to reach another host
  // Of checkpoints in the memory of other hosts. The address is empty where there are none.
  std::string copies{};   // GAUNTLET_STAGED_COPIES
  std::string address{};  // of this host, for other hosts
  std::string secret{};   // of the start
};
/// Bring the copy in that file as far as `reach`.
struct WriteOrder {
  std::int64_t step = 0;
  std::string copy;
  Tier reach = Tier::storage;
};
struct HostAddress {
  std::string address;
  std::uint16_t port = 0;
};
using PeerHosts = std::vector<HostAddress>;
using ToCheckpointer = std::variant<RankHello, WriteOrder, PeerHosts>;

struct FromCheckpointer {
  enum class Kind : std::uint8_t { listens, saved, failed, not_removed, done };
  Kind kind = Kind::done;
  std::int64_t step = 0;  // not of not_removed; listens: the port
  std::string why{};      // failed, not_removed
};

inline constexpr std::size_t kLongestCheckpointerMessage = 16 * 1024;  // bytes: a path has 4,096 at most

std::string to_text(const ToCheckpointer& message);
std::string to_text(const FromCheckpointer& message);
/// Nothing where the text is no such message.
std::optional<ToCheckpointer> parse_to_checkpointer(std::string_view text);
std::optional<FromCheckpointer> parse_from_checkpointer(std::string_view text);

/// Sends one message. False where the other end is gone.
bool send_message(int socket, const std::string& text);
/// The next message; nothing where the other end is gone.
std::optional<std::string> receive_message(int socket);

}  // namespace gauntlet
