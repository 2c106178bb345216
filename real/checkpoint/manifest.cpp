#include "real/checkpoint/manifest.hpp"

#include <sstream>

namespace gauntlet {
namespace {

constexpr const char* kTitle = "gauntlet-checkpoint 3";

std::string body_of(const Manifest& manifest) {
  std::ostringstream out;
  out << kTitle << "\njob " << manifest.job.seed << ' ' << manifest.job.pp << ' ' << manifest.job.dp << ' '
      << manifest.job.tp << "\nstep " << manifest.step << "\nnumber " << manifest.number << '\n';
  for (std::size_t rank = 0; rank < manifest.shards.size(); ++rank)
    out << "shard " << rank << ' ' << manifest.shards[rank].bytes << ' ' << manifest.shards[rank].checksum
        << '\n';
  return out.str();
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  const std::string body = body_of(manifest);
  return body + "checksum " + std::to_string(checksum_of(body)) + "\n";
}

std::optional<Manifest> parse_manifest(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string title, word;
  Manifest manifest;
  if (!std::getline(in, title) || title != kTitle) return std::nullopt;
  if (!(in >> word >> manifest.job.seed >> manifest.job.pp >> manifest.job.dp >> manifest.job.tp >> word >>
        manifest.step >> word >> manifest.number))
    return std::nullopt;
  Manifest::Entry entry;
  for (std::size_t rank = 0; in >> word && word == "shard" && in >> rank >> entry.bytes >> entry.checksum;)
    manifest.shards.push_back(entry);
  // 64 bits may not hold the product either, so that it is divided: each factor is one of the number of shards.
  std::uint64_t ranks = manifest.shards.size();
  for (const std::uint32_t size : {manifest.job.pp, manifest.job.dp, manifest.job.tp}) {
    if (size == 0 || ranks == 0 || ranks % size != 0) return std::nullopt;
    ranks /= size;
  }
  if (ranks != 1) return std::nullopt;
  // What was read must be all that was written: every byte is compared, those of words, order and checksum too.
  if (manifest_text(manifest) != text) return std::nullopt;
  return manifest;
}

}  // namespace gauntlet
