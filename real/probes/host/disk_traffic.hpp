// How much the disk under a directory moves, of whoever asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

/// The bytes that it read and wrote since the machine started. `root`: before /sys. Nothing where the kernel does not say: the file system
/// is in memory, on other hosts, or on several disks.
std::optional<std::uint64_t> disk_bytes(const std::string& root, const std::string& directory);

/// Why a rate of `own` bytes says nothing of a disk that moved `all` meanwhile; empty where others hardly used it.
std::string why_shared(std::uint64_t own, std::uint64_t all);

}  // namespace gauntlet
