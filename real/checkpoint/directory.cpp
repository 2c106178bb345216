#include "real/checkpoint/directory.hpp"

#include "core/files/durable.hpp"
#include "core/files/open_file.hpp"
#include "real/checkpoint/file_problem.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStep = "gauntlet-step-";
constexpr std::string_view kDamaged = "gauntlet-damaged-";
constexpr std::string_view kManifest = "manifest";
constexpr std::string_view kRank = "rank-";
constexpr std::string_view kShard = ".shard";
// Ends the names of files that are being written; one without a living writer is litter.
constexpr std::string_view kTemporary = ".tmp";
constexpr mode_t kFileMode = 0600, kDirectoryMode = 0700;

std::string shard_name(std::uint32_t rank) {
  return std::string(kRank) + std::to_string(rank) + std::string(kShard);
}

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

bool is_temporary(std::string_view name) { return name.ends_with(kTemporary); }

/// Written by a rank or by a rank that died over it.
bool is_ours(std::string_view name) {
  if (is_temporary(name)) name.remove_suffix(kTemporary.size());
  return name == kManifest || number_in(name, kRank, kShard);
}

std::vector<std::string> names_in(const std::string& directory, std::error_code& error) {
  std::vector<std::string> names;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    names.push_back(at->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Problem problem_of(const std::string& path, const std::string& what, const std::error_code& error) {
  return file_problem(path, what, error.value());
}

/// What is wrong with a file of a checkpoint.
struct Flaw {
  Problem problem;
  int error = 0;  // where the file cannot be read: as file_problem takes it
};

/// Whether a checkpoint with this flaw stays damaged. A file that cannot be read for lack of descriptors, memory or permission
/// is as good as it was.
bool is_lasting(const Flaw& flaw) {
  constexpr std::array kLasting = {0, kNotRegular, ENOENT, ENOTDIR, ELOOP, ENXIO, EIO, EBADMSG, EUCLEAN};
  return std::find(kLasting.begin(), kLasting.end(), flaw.error) != kLasting.end();
}

struct ReadFile {
  std::optional<std::string> bytes;
  Flaw flaw;  // where there are none
};

/// Opens no FIFO: that would keep its reader waiting.
ReadFile read_file(Files& files, const std::string& path) {
  OpenFile file(files, path, O_RDONLY | O_NONBLOCK);
  std::string bytes;
  int error = file.error();
  if (error == 0 && !file.is_regular()) error = kNotRegular;
  if (error == 0) error = file.read(bytes);
  if (error != 0) return {{}, {file_problem(path, "cannot be read", error), error}};
  return {std::move(bytes), {}};
}

/// Why the manifest's shards are not all there as it lists them.
std::optional<Flaw> flaw_of(Files& files, const std::string& directory, const Manifest& manifest) {
  for (std::uint32_t rank = 0; rank < manifest.shards.size(); ++rank) {
    const std::string path = directory + "/" + shard_name(rank);
    const ReadFile file = read_file(files, path);
    if (!file.bytes) return file.flaw;
    const Manifest::Entry& listed = manifest.shards[rank];
    if (file.bytes->size() != listed.bytes)
      return Flaw{Problem{.file = path,
                          .what = "has " + std::to_string(file.bytes->size()) + " bytes",
                          .why = "where the manifest lists " + std::to_string(listed.bytes),
                          .suggestion = {}}};
    if (checksum_of(*file.bytes) != listed.checksum)
      return Flaw{Problem{
          .file = path, .what = "has another checksum", .why = "than the manifest lists", .suggestion = {}}};
  }
  return std::nullopt;
}

/// Writes `directory/name` as a whole or not at all, also after a power cut.
std::optional<Problem> write_durably(Files& files, const std::string& directory, const std::string& name,
                                     std::string_view bytes) {
  const std::string path = directory + "/" + name;
  const std::string temporary = path + std::string(kTemporary);
  const auto failure = replace_file(files, {.path = path, .temporary = temporary, .mode = kFileMode}, bytes);
  if (!failure) return std::nullopt;
  switch (failure->at) {
    case ReplaceFailure::At::writing:
      return file_problem(temporary, "cannot be written", failure->error);
    case ReplaceFailure::At::naming:
      return file_problem(path, "cannot be named", failure->error);
    case ReplaceFailure::At::syncing_the_name:
      break;
  }
  return file_problem(directory, "cannot be synced", failure->error);
}

std::optional<Problem> sync_names(Files& files, const std::string& directory) {
  if (const int error = sync_path(files, directory))
    return file_problem(directory, "cannot be synced", error);
  return std::nullopt;
}

/// Removes the files of ours that are wanted.
std::optional<Problem> remove_files(Files& files, const std::string& directory,
                                    const std::function<bool(std::string_view)>& wanted) {
  std::error_code listed;
  for (const std::string& name : names_in(directory, listed)) {
    if (!is_ours(name) || !wanted(name)) continue;
    if (const int error = files.remove(directory + "/" + name); error != 0 && error != ENOENT)
      return file_problem(directory + "/" + name, "cannot be removed", error);
  }
  if (listed) return problem_of(directory, "cannot be read", listed);
  return std::nullopt;
}

/// The manifest goes first: a death half-way leaves an unfinished checkpoint, not a damaged one.
std::optional<Problem> remove_checkpoint(Files& files, const std::string& directory) {
  const auto is_manifest = [](std::string_view name) { return name == kManifest; };
  if (auto problem = remove_files(files, directory, is_manifest)) return problem;
  if (auto problem = sync_names(files, directory)) return problem;
  if (auto problem = remove_files(files, directory, [](std::string_view) { return true; })) return problem;
  const int error = files.remove(directory);
  if (error != 0 && error != ENOENT && error != ENOTEMPTY && error != EEXIST)
    return file_problem(directory, "cannot be removed", error);
  return std::nullopt;
}

}  // namespace

CheckpointDirectory::CheckpointDirectory(std::string path, JobIdentity job, Files& files)
    : path_(std::move(path)), job_(job), files_(files) {}

std::string CheckpointDirectory::of_step(std::int64_t step) const {
  return path_ + "/" + std::string(kStep) + std::to_string(step);
}

std::optional<Problem> CheckpointDirectory::probe(std::uint32_t rank, std::size_t bytes) const {
  const std::string name = "gauntlet-probe-" + std::to_string(rank);
  if (auto problem = write_durably(files_, path_, name, std::string(bytes, '\0'))) {
    problem->file = path_;
    problem->what = "cannot hold checkpoints: it is not writable";
    return problem;
  }
  if (const int error = files_.remove(path_ + "/" + name))
    return file_problem(path_ + "/" + name, "cannot be removed", error);
  return std::nullopt;
}

CheckpointDirectory::Survey CheckpointDirectory::survey() const {
  Survey found;
  std::error_code error;
  std::vector<std::int64_t> steps;
  for (const std::string& name : names_in(path_, error))
    if (const auto step = number_in(name, kStep)) steps.push_back(*step);
  if (error) return {{}, {}, {}, problem_of(path_, "cannot hold checkpoints: it cannot be read", error)};
  std::sort(steps.begin(), steps.end(), std::greater<>());

  for (const std::int64_t step : steps) {
    const std::string path = of_step(step) + "/" + std::string(kManifest);
    const ReadFile file = read_file(files_, path);
    if (file.flaw.error == ENOENT || file.flaw.error == ENOTDIR) {
      found.unfinished.push_back(step);
      continue;
    }
    const auto manifest = file.bytes ? parse_manifest(*file.bytes) : std::nullopt;
    if (manifest && !manifest->job.same_state(job_))
      return {{},
              {},
              {},
              Problem{.file = path,
                      .what = "is of another job",
                      .why = "(" + manifest->job.text() + ", where this one has " + job_.text() + ")",
                      .suggestion = "name another checkpoint directory"}};
    std::optional<Flaw> flaw;
    if (!file.bytes)
      flaw = file.flaw;
    else if (!manifest || manifest->step != step)
      flaw = Flaw{Problem{.file = path, .what = "is torn", .why = {}, .suggestion = {}}};
    else
      flaw = flaw_of(files_, of_step(step), *manifest);
    if (!flaw)
      found.whole.push_back(step);
    else if (is_lasting(*flaw))
      found.damaged.emplace_back(step, flaw->problem);
    else
      return {{}, {}, {}, flaw->problem};
  }
  return found;
}

std::optional<Problem> CheckpointDirectory::tidy(const Survey& survey) const {
  for (const auto& [step, why] : survey.damaged)
    if (auto problem = set_aside(step)) return problem;
  for (const std::int64_t step : survey.unfinished)
    if (auto problem = remove(step)) return problem;
  for (std::size_t i = 0; i < survey.whole.size(); ++i) {
    const std::string directory = of_step(survey.whole[i]);
    auto problem = i < kKeptCheckpoints ? remove_files(files_, directory, is_temporary)
                                        : remove_checkpoint(files_, directory);
    if (problem) return problem;
  }
  return sync_names(files_, path_);
}

std::optional<Problem> CheckpointDirectory::remove(std::int64_t step) const {
  return remove_checkpoint(files_, of_step(step));
}

std::optional<Problem> CheckpointDirectory::set_aside(std::int64_t step) const {
  const std::string aside = path_ + "/" + std::string(kDamaged) + std::to_string(step);
  std::error_code error;
  if (fs::exists(aside, error))
    if (auto problem = remove_checkpoint(files_, aside)) return problem;
  if (const int renamed = files_.rename(of_step(step), aside))
    return file_problem(of_step(step), "cannot be set aside", renamed);
  return std::nullopt;
}

CheckpointDirectory::Loaded CheckpointDirectory::load(std::int64_t step, std::uint32_t rank) const {
  const std::string path = of_step(step) + "/" + std::string(kManifest);
  const ReadFile file = read_file(files_, path);
  if (!file.bytes) return {{}, file.flaw.problem};
  const std::optional<Manifest> manifest = parse_manifest(*file.bytes);
  if (!manifest || !manifest->job.same_state(job_))
    return {{}, Problem{.file = path, .what = "is torn or of another job", .why = {}, .suggestion = {}}};
  Coordinates at = job_.layout().coordinates(rank);
  at.dp %= manifest->job.dp;
  return load_shard(step, manifest->job, manifest->job.layout().rank(at));
}

CheckpointDirectory::Loaded CheckpointDirectory::load_shard(std::int64_t step, const JobIdentity& job,
                                                            std::uint32_t rank) const {
  const std::string path = of_step(step) + "/" + shard_name(rank);
  const ReadFile file = read_file(files_, path);
  if (!file.bytes) return {{}, file.flaw.problem};
  ReadShard read = read_shard(*file.bytes);
  if (!read.shard) return {{}, Problem{.file = path, .what = read.why, .why = {}, .suggestion = {}}};
  const Shard& shard = *read.shard;
  if (shard.job != job || shard.rank != rank || shard.step != step)
    return {
        {},
        Problem{.file = path,
                .what = "holds rank " + std::to_string(shard.rank) + " at step " + std::to_string(shard.step),
                .why = "of the job with " + shard.job.text(),
                .suggestion = {}}};
  return {std::move(read.shard), {}};
}

std::optional<Problem> CheckpointDirectory::write(const Shard& shard) const {
  const std::string directory = of_step(shard.step);
  if (const int error = files_.make_directory(directory, kDirectoryMode); error != 0 && error != EEXIST)
    return file_problem(directory, "cannot be created", error);
  if (auto problem = sync_names(files_, path_)) return problem;
  return write_durably(files_, directory, shard_name(shard.rank), shard_bytes(shard));
}

std::optional<std::uint32_t> CheckpointDirectory::first_missing(std::int64_t step) const {
  std::error_code error;
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank)
    if (!fs::exists(of_step(step) + "/" + shard_name(rank), error)) return rank;
  return std::nullopt;
}

std::optional<Problem> CheckpointDirectory::commit(std::int64_t step) const {
  Manifest manifest{.job = job_, .step = step, .shards = {}};
  for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
    const Loaded loaded = load_shard(step, job_, rank);
    if (!loaded.shard) return loaded.problem;
    // Equal shards have equal bytes, so these are the file's.
    const std::string bytes = shard_bytes(*loaded.shard);
    manifest.shards.push_back({.bytes = bytes.size(), .checksum = checksum_of(bytes)});
  }
  const std::string name(kManifest);
  auto problem = write_durably(files_, of_step(step), name, manifest_text(manifest));
  if (problem) files_.remove(of_step(step) + "/" + name);  // what is not durable is not taken for whole
  return problem;
}

std::optional<Problem> CheckpointDirectory::prune(std::int64_t newest) const {
  std::error_code error;
  std::vector<std::int64_t> steps;
  for (const std::string& name : names_in(path_, error))
    if (const auto step = number_in(name, kStep); step && *step < newest) steps.push_back(*step);
  if (error) return problem_of(path_, "cannot be read", error);
  std::sort(steps.begin(), steps.end(), std::greater<>());
  std::size_t kept = 1;
  for (const std::int64_t step : steps) {
    const bool whole = fs::exists(of_step(step) + "/" + std::string(kManifest), error);
    if (error) return problem_of(of_step(step), "cannot be read", error);
    if (whole && kept++ < kKeptCheckpoints) continue;
    if (auto problem = remove(step)) return problem;
  }
  return sync_names(files_, path_);
}

}  // namespace gauntlet
