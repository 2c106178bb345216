// The copies in the memory of this host, which other hosts reach from the first rank on that says where.
#pragma once

#include "real/checkpoint/checkpointer_messages.hpp"
#include "real/checkpointer/copy_server.hpp"
#include "real/checkpointer/host_copies.hpp"

#include <cstdint>
#include <mutex>
#include <optional>

namespace gauntlet {

/// Any thread may use it.
class CopyPlace {
 public:
  /// The port at which other hosts reach it; 0 where the rank names no address, or nobody can listen there.
  std::uint16_t serve(const RankHello& hello);

 private:
  std::mutex mutex_;
  std::optional<HostCopies> copies_;
  std::optional<CopyServer> server_;  // last: it uses the copies
};

}  // namespace gauntlet
