// The list of a checkpoint's shards. It is written last: a checkpoint without one never became whole.
//
//   gauntlet-checkpoint 3
//   job <seed> <pp> <dp> <tp>
//   step <step>
//   number <number>                      among the job's whole checkpoints, from 1
//   shard <rank> <bytes> <checksum>      one line a rank, in order; the checksum is the one at the end of rank-<rank>.shard
//   checksum <checksum>                  of the lines above
#pragma once

#include "real/checkpoint/shard.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct Manifest {
  struct Entry {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  JobIdentity job;
  std::int64_t step = 0;
  std::uint64_t number = 1;
  std::vector<Entry> shards;  // by rank
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

std::string manifest_text(const Manifest& manifest);
/// Nothing where a byte is missing or differs.
std::optional<Manifest> parse_manifest(std::string_view text);

}  // namespace gauntlet
