// What faults do to a checkpoint that was whole: for drills and tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

enum class Damage : std::uint8_t { flipped_bit, cut_shard, torn_manifest, lost_directory };
inline constexpr std::uint32_t kDamages = 4;

/// The newest whole checkpoint of the job in this directory, by the survey of all its shards (tier.hpp). Nothing where there is none, or it cannot
/// be read.
std::optional<std::int64_t> newest_whole(const std::string& directory);

bool is_whole(const std::string& directory, std::int64_t step);

/// Damages the checkpoint of that step, which stays so. The shard is that of rank 0, which every restore reads. Follows no links, and touches
/// no file of another owner than the directory's. Why not, or nothing.
std::string damage_checkpoint(const std::string& directory, std::int64_t step, Damage how);

}  // namespace gauntlet
