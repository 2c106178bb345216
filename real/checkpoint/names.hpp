// The names of a job's folders and objects in its storage (tier.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::string_view kStep = "gauntlet-step-";
inline constexpr std::string_view kRank = "rank-";
inline constexpr std::string_view kShard = ".shard";
inline constexpr const char* kManifest = "manifest";

inline std::string shard_name(std::uint32_t rank) {
  return std::string(kRank) + std::to_string(rank) + std::string(kShard);
}

inline std::string folder_of(std::int64_t step) { return std::string(kStep) + std::to_string(step); }

}  // namespace gauntlet
