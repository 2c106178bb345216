// Manifests of a checkpoint: what is read is what would be written, and it lists a shard for each rank of a job.
#include "real/checkpoint/manifest.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace gauntlet;

namespace {

/// The same with the checksum of its lines at its end.
std::string mend(std::string_view bytes) {
  const std::string body(bytes.substr(0, bytes.rfind("checksum ")));
  return body + "checksum " + std::to_string(checksum_of(body)) + "\n";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return mutate_and_mend(data, size, most, seed, mend);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<Manifest> manifest = parse_manifest(text_of(data, size));
  if (!manifest) return 0;
  ensure(manifest_text(*manifest) == text_of(data, size), "what is read is what would be written");
  const std::uint64_t ranks = std::uint64_t{manifest->job.pp} * manifest->job.dp;
  ensure(ranks > 0 && manifest->shards.size() == ranks, "a checkpoint has a shard for each rank");
  return 0;
}
