#include "study/store/directory/result_directory.hpp"

#include "core/contract.hpp"
#include "core/files/durable.hpp"
#include "core/files/read.hpp"
#include "core/system_advice.hpp"
#include "study/store/directory/directory_lock.hpp"
#include "study/store/directory/manifest.hpp"
#include "study/store/export/export.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// In DIR.part: the results while `commit` makes them, and a store while it is copied.
constexpr const char* kReadyDirectory = "ready";
constexpr const char* kCopyFile = "results.sqlite.copy";

bool is_of_unfinished(const std::string& name) {
  return name == kLockFile || name.starts_with(kReadyDirectory) || name.starts_with(kDatabaseFile);
}

/// A name in the directory that is not ours; somebody's work.
std::optional<std::string> stranger(const fs::path& directory, bool (*ours)(const std::string&),
                                    std::error_code& error) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (const std::string name = entry.path().filename().string(); !ours(name)) return name;
  return std::nullopt;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

bool is_free(const fs::path& target) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(target, error).type();
  return type == fs::file_type::not_found ||
         (type == fs::file_type::directory && fs::is_empty(target, error) && !error);
}

std::optional<Problem> problem_of_holding(const fs::path& directory, bool (*ours)(const std::string&)) {
  std::error_code error;
  if (const auto unknown = out_of_reach(directory))
    return problem_of(directory, "cannot be made: " + *unknown, "choose another --out");
  if (fs::symlink_status(directory, error).type() != fs::file_type::directory)
    return problem_of(directory, "is not a result directory", "choose another --out");
  const auto other = stranger(directory, ours, error);
  if (error) return problem_of(directory, "cannot be read: " + error.message());
  if (!other) return std::nullopt;
  return problem_of(directory,
                    fmt::format("holds \"{}\", which is not a result, and only results are replaced", *other),
                    "move it away or choose another --out");
}

// Our files in DIR.part but the lock.
void remove_unfinished(Files& files, const fs::path& part) {
  std::error_code ignored;     // what stays shows when the place is used again
  std::vector<fs::path> ours;  // first all names: a process with few descriptors cannot remove while it lists
  for (const fs::directory_entry& entry : fs::directory_iterator(part, ignored))
    if (const std::string name = entry.path().filename().string();
        is_of_unfinished(name) && name != kLockFile)
      ours.push_back(entry.path());
  for (const fs::path& path : ours) remove_all(files, path);
}

/// Such as a volume of a container: it keeps its name, so that nothing else can get it.
bool is_mount_point(const fs::path& target) {
  struct statx found {};
  return ::statx(AT_FDCWD, target.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &found) == 0 &&
         (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

std::optional<Problem> problem_of_target(const fs::path& target, Existing existing) {
  std::error_code error;
  if (is_mount_point(target))
    return problem_of(target,
                      "is a mount point, and results get the name of their directory once they are complete",
                      fmt::format("name a directory in it, such as \"{}\"", (target / "results").string()));
  if (const auto unknown = out_of_reach(target))
    return problem_of(target, "cannot be made: " + *unknown, "choose another --out");
  const fs::path parent = target.parent_path();
  if (!fs::is_directory(parent, error))
    return problem_of(target,
                      fmt::format("cannot be made, because \"{}\" is not a directory", parent.string()),
                      "create that first");
  if (is_free(target)) return std::nullopt;
  if (existing == Existing::refuse)
    return problem_of(target, "exists and is not overwritten",
                      "continue it with --resume, replace it with --force, or choose another --out");
  return problem_of_holding(target, is_result_file);
}

/// Whose a directory is, and who may do what there.
struct Access {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0777;
};

constexpr auto kUnchanged = static_cast<uid_t>(-1);  // for chown(2)

mode_t without_group(mode_t mode) { return mode & ~static_cast<mode_t>(S_IRWXG | S_ISGID); }

/// Of a directory that is there. We have to write in the new one.
std::optional<Access> access_of(const fs::path& directory) {
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return std::nullopt;
  return Access{.owner = found.st_uid, .group = found.st_gid, .mode = (found.st_mode & 07777) | S_IRWXU};
}

/// As far as we may: only root gives a directory to another owner, and others give it to groups of theirs. What one group may do is not for
/// another one.
void give(const Access& access, const fs::path& directory) {
  const bool has_group = ::chown(directory.c_str(), kUnchanged, access.group) == 0;
  static_cast<void>(::chown(directory.c_str(), access.owner, kUnchanged) == 0);
  static_cast<void>(::chmod(directory.c_str(), has_group ? access.mode : without_group(access.mode)) == 0);
}

}  // namespace

struct ResultDirectory::State {
  explicit State(Files& its_files) : files(its_files) {}

  Files& files;
  fs::path target, part;
  Existing existing = Existing::refuse;
  std::optional<DirectoryLock> lock;
  std::unique_ptr<Store> store;
  std::uint64_t held_before = 0;  // replicas that the store held when it was copied from the target
  bool from_target = false;       // the store is a copy of the target's, with more replicas to come
  bool committed = false;

  /// Ends with the store open in DIR.part, or says why it is not.
  std::optional<Problem> begin(const StudyIdentity& study, std::span<const std::string> faults);
  std::optional<Problem> refuse_unfinished();
  std::optional<Problem> discard_unfinished();
  std::optional<Problem> copy_from_target();
  /// Removes what a commit left. It may be the earlier results, if the new ones took their name: until that is on the disk, a
  /// power cut would give the name back to what is removed.
  std::optional<std::string> remove_ready();
  /// Makes everything in `ready` and brings it to the disk.
  std::optional<Problem> write_all(const fs::path& ready, std::span<const ResultFile> results);
  std::optional<Problem> rename(const fs::path& ready);
  /// Whether nothing would be lost without DIR.part.
  bool worthless() const;
};

std::optional<Problem> ResultDirectory::State::refuse_unfinished() {
  const fs::path file = part / kDatabaseFile;
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  const Store::Opened there = Store::open_to_read(file);
  if (there.store && there.store->replicas() == 0) return std::nullopt;
  const std::string held =
      there.store ? fmt::format("{} of `{}` are done", there.store->holds(), there.store->study().arguments)
                  : there.problem->why;
  return problem_of(part, "holds an unfinished study: " + held,
                    "continue with --resume, start again with --force, or choose another --out");
}

std::optional<Problem> ResultDirectory::State::discard_unfinished() {
  remove_unfinished(files, part);
  if (fs::path left = part / kDatabaseFile; is_there(left))
    return problem_of(left, "cannot be removed", "remove it yourself or choose another --out");
  return std::nullopt;
}

std::optional<Problem> ResultDirectory::State::copy_from_target() {
  const fs::path copy = part / kCopyFile;
  if (auto why = not_a_file(target / kDatabaseFile))
    return problem_of(target / kDatabaseFile, *why, "start again with --force, or choose another --out");
  std::error_code unknown;
  if (fs::file_size(target / kDatabaseFile, unknown) == 0)  // a store that was committed has tables
    return problem_of(target / kDatabaseFile, "is damaged: it is empty",
                      "start again with --force, or bring the file back from a copy");
  int error = copy_file(files, target / kDatabaseFile, copy);
  if (error == 0) error = files.rename(copy, part / kDatabaseFile);
  if (error != 0)
    return problem_of(target / kDatabaseFile, "cannot be copied: " + system_message(error),
                      "start again with --force, or choose another --out");
  return std::nullopt;
}

std::optional<std::string> ResultDirectory::State::remove_ready() {
  const fs::path ready = part / kReadyDirectory;
  if (!is_there(ready)) return std::nullopt;
  int error = is_free(target) ? 0 : sync_name(files, target);
  if (error == 0) error = remove_all(files, ready);
  return error == 0 ? std::nullopt : std::optional(system_message(error));
}

std::optional<Problem> ResultDirectory::State::begin(const StudyIdentity& study,
                                                     std::span<const std::string> faults) {
  const fs::path file = part / kDatabaseFile;
  std::error_code error;
  if (const auto why = remove_ready())
    return problem_of(part / kReadyDirectory, "cannot be removed: " + *why);
  if (existing == Existing::refuse)
    if (auto problem = refuse_unfinished()) return problem;
  if (existing != Existing::resume)
    if (auto problem = discard_unfinished()) return problem;
  const bool is_new = !fs::exists(file, error);
  from_target = is_new && !is_free(target) && existing == Existing::resume;
  if (from_target)
    if (auto problem = copy_from_target()) return problem;
  Store::Opened opened =
      is_new && !from_target ? Store::create(file, study, faults) : Store::resume(file, study, faults);
  store = std::move(opened.store);
  if (store && from_target) held_before = store->replicas();
  if (store && is_new)  // SQLite brings the file to the disk, not the names of its directories
    for (const fs::path& named : {file, part})
      if (const int failed = sync_name(files, named))
        return problem_of(named, "cannot be brought to the disk: " + system_message(failed),
                          system_advice(failed, "choose another --out"));
  if (!store && is_new) remove_unfinished(files, part);  // no trace of a store that was of no use
  if (!store && from_target) opened.problem->file = (target / kDatabaseFile).string();
  return opened.problem;
}

bool ResultDirectory::State::worthless() const {
  std::error_code error;
  if (!store) return !fs::exists(part / kDatabaseFile, error);
  return store->replicas() == 0 || store->replicas() == held_before;
}

ResultDirectory::Opened ResultDirectory::open(const fs::path& target, Existing existing,
                                              const StudyIdentity& study, std::span<const std::string> faults,
                                              const WaitForOther& wait, Files& files) {
  const auto refused = [&](Problem problem) {
    return Opened{.directory = nullptr, .problem = std::move(problem)};
  };
  if (target.empty()) return refused(problem_of("--out", "names no directory"));
  auto state = std::make_unique<State>(files);
  state->target = full_path(target);
  state->part = unfinished_directory(target);
  state->existing = existing;
  if (auto problem = problem_of_target(state->target, existing)) {
    problem->file = target.string();  // as the user wrote it
    return refused(*problem);
  }
  if (is_there(state->part))
    if (auto problem = problem_of_holding(state->part, is_of_unfinished)) return refused(*problem);
  const std::optional<Access> access = access_of(state->target);
  const mode_t mode = access ? without_group(access->mode) : Access{}.mode;
  LockTaken taken = DirectoryLock::take(state->part, files, mode);
  while (taken.held_by_other && wait && wait(state->part))
    taken = DirectoryLock::take(state->part, files, mode);
  if (taken.held_by_other)
    return refused(problem_of(state->part, "is being written by another program",
                              "wait for its end, or choose another --out"));
  if (!taken.lock) return refused(problem_of(target, "cannot be made: " + taken.why, "choose another --out"));
  state->lock.emplace(std::move(*taken.lock));
  const auto problem = state->begin(study, faults);
  std::unique_ptr<ResultDirectory> directory(new ResultDirectory(std::move(state)));
  if (problem) return refused(*problem);
  return {.directory = std::move(directory), .problem = std::nullopt};
}

ResultDirectory::ResultDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}

ResultDirectory::~ResultDirectory() {
  const bool remove = state_->committed || state_->worthless();
  state_->store.reset();  // closes its files
  if (!remove) return;
  remove_unfinished(state_->files, state_->part);
  state_->files.remove(state_->part / kLockFile);  // there is nobody left to tell
  state_->files.remove(state_->part);
}

Store& ResultDirectory::store() { return *state_->store; }

std::optional<Problem> ResultDirectory::State::write_all(const fs::path& ready,
                                                         std::span<const ResultFile> results) {
  const auto failed = [&](const std::string& name, const std::string& why) {
    return problem_of(target, fmt::format("could not be written: {}: {}", name, why),
                      fmt::format("{} are safe in \"{}\"; once it can be written, continue with --resume",
                                  store->holds(), part.string()));
  };
  if (const int error = files.make_directory(ready, 0777))
    return failed(kReadyDirectory, system_message(error));
  for (const ResultFile& file : results) {
    expect(is_result_file(file.name), "a result has one of the names of results");
    if (const int error = write_file(files, ready / file.name, file.text))
      return failed(file.name, system_message(error));
  }
  if (const auto why = export_replicas(*store, ready / kReplicasFile, files))
    return failed(std::string(kReplicasFile), *why);
  if (const auto why = export_incidents(*store, ready / kIncidentsFile, files))
    return failed(std::string(kIncidentsFile), *why);
  store->write_canonical(ready / kDatabaseFile, files);
  if (store->problem()) return store->problem();
  if (const auto why = write_manifest(ready, files)) return failed(std::string(kManifestFile), *why);
  if (const int error = sync_all(files, ready)) return failed("the disk", system_message(error));
  return std::nullopt;
}

std::optional<Problem> ResultDirectory::State::rename(const fs::path& ready) {
  if (auto problem = problem_of_target(target, existing)) {  // somebody may have made it meanwhile
    problem->suggestion =
        fmt::format("{} are safe in \"{}\"; move the other away, then continue with --resume", store->holds(),
                    part.string());
    return problem;
  }
  const std::string go_on =
      fmt::format("{} are safe in \"{}\"; continue with --resume", store->holds(), part.string());
  if (const auto access = access_of(target)) give(*access, ready);
  if (const int error = take_name(files, ready, target))
    return problem_of(target, "could not be given its name: " + system_message(error), go_on);
  if (const int error = sync_name(files, target))
    return problem_of(target, "could not be brought to the disk: " + system_message(error), go_on);
  committed = true;
  return std::nullopt;
}

bool ResultDirectory::replaces() const { return !state_->from_target && !is_free(state_->target); }

std::optional<Problem> ResultDirectory::keep() {
  state_->store->sync();
  return state_->store->problem();
}

std::optional<Problem> ResultDirectory::commit(std::span<const ResultFile> results) {
  State& state = *state_;
  expect(!state.committed, "results are committed once");
  if (state.store->problem()) return state.store->problem();
  state.held_before = 0;  // where this fails, DIR.part stays
  const fs::path ready = state.part / kReadyDirectory;
  auto problem = state.write_all(ready, results);
  if (!problem) problem = state.rename(ready);
  if (problem) static_cast<void>(state.remove_ready());  // what stays is removed by whoever goes on
  return problem;
}

}  // namespace gauntlet
