// Copies of ranks' states in the memory of other hosts: what is asked of the checkpointer of such a host, over TCP. Both ends prove that they know the
// secret of the start (secret.hpp). The bytes themselves are not encrypted, like all that ranks send each other.
//
//   the other host    a greeting, a challenge
//   who asks          CopyRequest
//   the other host    CopyAnswer
//   put               the shard; from the other host: one byte when it holds it
//   get               from the other host: as many bytes of a shard as it answered
#pragma once

#include "core/time.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/trainer/link.hpp"
#include "real/trainer/secret.hpp"
#include "real/trainer/tcp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// As bytes, so that it travels as it is.
struct CopyRequest {
  enum class Kind : std::uint32_t { list, get, put };
  Kind kind = Kind::list;
  std::uint32_t rank = 0;   // whose state it is
  CopyKey key{};            // get, put
  std::uint64_t bytes = 0;  // put: of the shard
  Challenge challenge{};    // for the answer
  Proof proof{};            // of all that, for the challenge of the other host
};

inline constexpr std::size_t kMostCopies =
    4;  // of a rank on a host: two that it made itself, and two that it sent there
struct CopyAnswer {
  std::array<CopyKey, kMostCopies> keys{};  // list: a step above 0 each
  std::uint64_t bytes = 0;                  // get: of the shard; 0: the host does not have it
  Proof proof{};
};

/// What whoever connects hears first, before a challenge.
std::vector<std::byte> copies_greeting();
Proof proof_of_request(const std::string& secret, const Challenge& theirs, CopyRequest request);
Proof proof_of_answer(const std::string& secret, const CopyRequest& request, CopyAnswer answer);

class PeerCopies {
 public:
  /// Each call takes at most `patience`.
  PeerCopies(std::string secret, Duration patience) : secret_(std::move(secret)), patience_(patience) {}

  // Of the host whose checkpointer listens there. One that cannot be reached holds nothing.
  std::vector<CopyKey> list(const TcpAddress& at, std::uint32_t rank) const;
  /// The shard, with the checksum that it had there.
  std::optional<std::string> get(const TcpAddress& at, std::uint32_t rank, const CopyKey& key) const;
  /// Returns when the other host holds the shard. False where it does not.
  bool put(const TcpAddress& at, std::uint32_t rank, const CopyKey& key, std::string_view shard) const;

 private:
  struct Asked {
    PeerLink link;
    CopyAnswer answer;
  };
  std::optional<Asked> ask(const TcpAddress& at, CopyRequest request, const Patience& patience) const;
  Patience patience() const;

  std::string secret_;
  Duration patience_;
};

}  // namespace gauntlet
