// Where a checkpoint's copies are, from the quickest to the safest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gauntlet {

enum class Tier : std::uint8_t {
  memory,   // of each rank's own host: outlives the ranks, not the host
  peers,    // of other hosts too: outlives a host whose copies are elsewhere
  storage,  // the file system: outlives every host
};
inline constexpr std::size_t kTiers = 3;
inline constexpr std::array<std::string_view, kTiers> kTierNames = {"memory", "peers", "storage"};

/// How ranks get a checkpoint back from storage.
enum class Restore : std::uint8_t {
  one_reader,  // of each data-parallel group one rank reads what the group shares, and broadcasts it (MegaScale, sec. 4.4,
               // https://arxiv.org/abs/2402.15627)
  every_rank,  // each rank reads all that it needs
};
inline constexpr std::array<std::string_view, 2> kRestoreNames = {"one-reader", "every-rank"};

}  // namespace gauntlet
