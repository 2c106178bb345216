#include "real/checkpoint/tier.hpp"

#include "real/checkpoint/names.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <system_error>

namespace gauntlet {
namespace {

constexpr std::string_view kDamaged = "gauntlet-damaged-";
constexpr std::string_view kProbe = "gauntlet-probe-";

/// The number between the two, written as we write numbers.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view prefix,
                                      std::string_view suffix = {}) {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || number < 0 || std::to_string(number) != name) return std::nullopt;
  return number;
}

}  // namespace

CheckpointTier::CheckpointTier(CheckpointStorage& storage, JobIdentity job, Retention retention)
    : storage_(storage), job_(job), retention_(retention) {}

std::optional<Problem> CheckpointTier::probe(std::uint32_t rank, std::size_t bytes) const {
  const std::string folder = std::string(kProbe) + std::to_string(rank);
  auto problem = storage_.put(folder, shard_name(rank), std::string(bytes, '\0'));
  if (problem) {
    problem->file = storage_.name();
    problem->what = "cannot hold checkpoints: it is not writable";
  }
  const auto stays = storage_.remove(folder, {shard_name(rank)});
  return problem ? problem : stays;
}

CheckpointTier::Steps CheckpointTier::steps() const {
  const CheckpointStorage::Names folders = storage_.folders();
  Steps found{{}, folders.problem};
  for (const std::string& name : folders.names)
    if (const auto step = number_in(name, kStep)) found.steps.push_back(*step);
  std::sort(found.steps.begin(), found.steps.end(), std::greater<>());
  return found;
}

CheckpointTier::FoundManifest CheckpointTier::manifest_of(std::int64_t step) const {
  const CheckpointStorage::Object object = storage_.read_whole(folder_of(step), kManifest);
  if (!object.bytes) return {{}, object.flaw};
  std::optional<Manifest> manifest = parse_manifest(*object.bytes);
  if (manifest && manifest->step == step) return {std::move(manifest), {}};
  return {{}, {Problem{.file = storage_.path_of(folder_of(step), kManifest), .what = "is torn"}}};
}

/// Why a shard is not as the manifest lists it.
std::optional<Flaw> CheckpointTier::read_listed(const Manifest& manifest, std::uint32_t rank,
                                                ShardStream& into) const {
  const std::string folder = folder_of(manifest.step), path = storage_.path_of(folder, shard_name(rank));
  if (auto flaw = storage_.read(folder, shard_name(rank), [&](std::string_view piece) { into.take(piece); }))
    return flaw;
  const Manifest::Entry& listed = manifest.shards.at(rank);
  if (into.taken() != listed.bytes)
    return Flaw{Problem{.file = path,
                        .what = "has " + std::to_string(into.taken()) + " bytes",
                        .why = "where the manifest lists " + std::to_string(listed.bytes)}};
  if (into.checksum() != listed.checksum)
    return Flaw{Problem{.file = path, .what = "has another checksum", .why = "than the manifest lists"}};
  return std::nullopt;
}

/// Why the manifest's shards are not all there as it lists them.
std::optional<Flaw> CheckpointTier::flaw_of(const Manifest& manifest) const {
  for (std::uint32_t rank = 0; rank < manifest.shards.size(); ++rank) {
    ShardStream shard(manifest.shards[rank].bytes, nullptr);
    if (auto flaw = read_listed(manifest, rank, shard)) return flaw;
  }
  return std::nullopt;
}

CheckpointTier::Survey CheckpointTier::survey() const { return look(true); }

CheckpointTier::Survey CheckpointTier::manifests() const { return look(false); }

CheckpointTier::Survey CheckpointTier::look(bool at_shards) const {
  const auto failed = [](Problem problem) {
    Survey none;
    none.problem = std::move(problem);
    return none;
  };
  Survey found;
  Steps all = steps();
  if (all.problem) {
    all.problem->what = "cannot hold checkpoints: it " + all.problem->what;
    return failed(*all.problem);
  }
  for (const std::int64_t step : all.steps) {
    const FoundManifest of_step = manifest_of(step);
    if (!of_step.manifest && of_step.flaw.kind == Flaw::Kind::missing) {
      found.unfinished.push_back(step);
      continue;
    }
    if (of_step.manifest && !of_step.manifest->job.same_state(job_))
      return failed({.file = storage_.path_of(folder_of(step), kManifest),
                     .what = "is of another job",
                     .why = "(" + of_step.manifest->job.text() + ", where this one has " + job_.text() + ")",
                     .suggestion = "name another checkpoint directory"});
    std::optional<Flaw> flaw;
    if (!of_step.manifest)
      flaw = of_step.flaw;
    else if (at_shards)
      flaw = flaw_of(*of_step.manifest);
    if (!flaw)
      found.whole.push_back(step);
    else if (flaw->kind != Flaw::Kind::passing)
      found.damaged.emplace_back(step, flaw->problem);
    else
      return failed(flaw->problem);
  }
  return found;
}

std::optional<std::uint64_t> CheckpointTier::number_of(std::int64_t step) const {
  const FoundManifest found = manifest_of(step);
  return found.manifest ? std::optional(found.manifest->number) : std::nullopt;
}

bool CheckpointTier::is_permanent(const Manifest& manifest) const {
  return retention_.every > 0 && manifest.number % retention_.every == 0;
}

std::optional<Problem> CheckpointTier::tidy(const Survey& survey) const {
  for (const auto& [step, why] : survey.damaged)
    if (auto problem = set_aside(step)) return problem;
  for (const std::int64_t step : survey.unfinished)
    if (auto problem = remove(folder_of(step))) return problem;
  for (const std::int64_t step : survey.whole)
    if (auto problem = storage_.remove_unfinished(folder_of(step))) return problem;
  return survey.whole.empty() ? std::nullopt : prune(survey.newest());
}

/// The manifest goes first: a death half-way leaves an unfinished checkpoint, not a damaged one.
std::optional<Problem> CheckpointTier::remove(const std::string& folder) const {
  if (auto problem = storage_.remove(folder, {kManifest})) return problem;
  if (auto problem = storage_.remove_unfinished(folder)) return problem;
  CheckpointStorage::Names found = storage_.objects(folder);
  if (found.problem) return found.problem;
  std::erase_if(found.names, [](const std::string& name) { return !number_in(name, kRank, kShard); });
  return storage_.remove(folder, found.names);
}

std::optional<Problem> CheckpointTier::set_aside(std::int64_t step) const {
  const std::string aside = std::string(kDamaged) + std::to_string(step);
  if (auto problem = remove(aside)) return problem;
  return storage_.set_aside(folder_of(step), aside, kManifest);
}

CheckpointTier::Loaded CheckpointTier::load(std::int64_t step, std::uint32_t rank, std::string memory) const {
  const FoundManifest found = manifest_of(step);
  if (!found.manifest) return {{}, found.flaw};
  const JobIdentity& job = found.manifest->job;
  if (!job.same_state(job_))
    return {{}, {Problem{.file = storage_.path_of(folder_of(step), kManifest), .what = "is of another job"}}};
  Coordinates at = job_.layout().coordinates(rank);
  at.dp %= job.dp;
  const std::uint32_t source = job.layout().rank(at);
  ShardStream shard(found.manifest->shards.at(source).bytes, &memory);
  if (auto flaw = read_listed(*found.manifest, source, shard)) return {{}, std::move(*flaw)};
  return identified(step, job, source, shard.shard());
}

/// The shard, if it is the one that its name says.
CheckpointTier::Loaded CheckpointTier::identified(std::int64_t step, const JobIdentity& job,
                                                  std::uint32_t rank, ReadShard read) const {
  const std::string path = storage_.path_of(folder_of(step), shard_name(rank));
  if (!read.shard) return {{}, {Problem{.file = path, .what = read.why}}};
  const Shard& shard = *read.shard;
  if (shard.job != job || shard.rank != rank || shard.step != step)
    return {{},
            {Problem{
                .file = path,
                .what = "holds rank " + std::to_string(shard.rank) + " at step " + std::to_string(shard.step),
                .why = "of the job with " + shard.job.text()}}};
  return {std::move(read.shard), {}};
}

std::optional<Problem> CheckpointTier::write(const Shard& shard) const {
  return write(shard.step, shard.rank, shard_bytes(shard));
}

std::optional<Problem> CheckpointTier::write(std::int64_t step, std::uint32_t rank,
                                             std::string_view shard) const {
  return storage_.put(folder_of(step), shard_name(rank), shard);
}

std::optional<std::uint32_t> CheckpointTier::first_missing(std::int64_t step) const {
  const CheckpointStorage::Names there = storage_.objects(folder_of(step));
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank)
    if (!std::binary_search(there.names.begin(), there.names.end(), shard_name(rank))) return rank;
  return std::nullopt;
}

/// One more than that of the newest whole checkpoint before it.
std::optional<Problem> CheckpointTier::next_number(Manifest& manifest) const {
  const Steps all = steps();
  if (all.problem) return all.problem;
  for (const std::int64_t step : all.steps) {
    if (step >= manifest.step) continue;
    const FoundManifest before = manifest_of(step);
    if (!before.manifest && before.flaw.kind == Flaw::Kind::passing) return before.flaw.problem;
    if (!before.manifest) continue;
    manifest.number = before.manifest->number + 1;
    break;
  }
  return std::nullopt;
}

std::optional<Problem> CheckpointTier::commit(std::int64_t step, const Written& wrote) const {
  Manifest manifest{.job = job_, .step = step, .shards = {}};
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
    if (const auto own = wrote.find(rank); own != wrote.end()) {
      manifest.shards.push_back(own->second);
      continue;
    }
    const CheckpointStorage::Object object = storage_.read_whole(folder_of(step), shard_name(rank));
    if (!object.bytes) return object.flaw.problem;
    const Loaded loaded = identified(step, job_, rank, read_shard(*object.bytes));
    if (!loaded.shard) return loaded.flaw.problem;
    manifest.shards.push_back({.bytes = object.bytes->size(), .checksum = checksum_at_end(*object.bytes)});
  }
  if (auto problem = next_number(manifest)) return problem;
  auto problem = storage_.put(folder_of(step), kManifest, manifest_text(manifest));
  if (problem)  // what is not durable is not taken for whole
    static_cast<void>(storage_.remove(folder_of(step), {kManifest}));
  return problem;
}

std::optional<Problem> CheckpointTier::prune(std::int64_t newest) const {
  const Steps all = steps();
  if (all.problem) return all.problem;
  std::uint32_t kept = 1;
  for (const std::int64_t step : all.steps) {
    if (step >= newest) continue;
    const FoundManifest found = manifest_of(step);
    if (!found.manifest && found.flaw.kind == Flaw::Kind::passing) return found.flaw.problem;
    if (!found.manifest && found.flaw.kind == Flaw::Kind::lasting) continue;  // the next start sets it aside
    if (found.manifest && (kept++ < retention_.keep || is_permanent(*found.manifest))) continue;
    if (auto problem = remove(folder_of(step))) return problem;
  }
  return std::nullopt;
}

}  // namespace gauntlet
