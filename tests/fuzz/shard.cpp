// Shards of a checkpoint: what is read is what would be written, byte for byte; a refusal has a reason.
#include "real/checkpoint/shard.hpp"

#include "tests/fuzz/fuzz.hpp"

#include <cstring>

using namespace gauntlet;

namespace {

constexpr std::size_t kWord = 8;

/// The same, in whole words, of which the last one is the checksum.
std::string mend(std::string_view bytes) {
  std::string out(bytes.substr(0, bytes.size() / kWord * kWord));
  if (out.size() < kWord) return out;
  const std::uint64_t checksum = checksum_of(std::string_view(out).substr(0, out.size() - kWord));
  std::memcpy(out.data() + out.size() - kWord, &checksum, kWord);
  return out;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return mutate_and_mend(data, size, most, seed, mend);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ReadShard read = read_shard(text_of(data, size));
  ensure(read.shard.has_value() == read.why.empty(), "a shard is there or the reason why not");
  if (read.shard)
    ensure(shard_bytes(*read.shard) == text_of(data, size), "what is read is what would be written");
  return 0;
}
