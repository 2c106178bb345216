#include "real/checkpoint/directory_storage.hpp"

#include "core/files/durable.hpp"
#include "core/files/open_file.hpp"
#include "real/checkpoint/file_problem.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// Ends the names of files that are being written; one without a living writer is litter.
constexpr std::string_view kTemporary = ".tmp";
// Read at once: stays in the cache of a core, and a system call costs little beside it.
constexpr std::size_t kPieceBytes = 1 << 17;
constexpr mode_t kFileMode = 0600, kDirectoryMode = 0700;

std::vector<std::string> names_in(const std::string& directory, std::error_code& error) {
  std::vector<std::string> names;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    names.push_back(at->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// A file that cannot be read for lack of descriptors, memory or permission is as good as it was.
Flaw::Kind kind_of(int error) {
  constexpr std::array kLasting = {kNotRegular, ELOOP, ENXIO, EIO, EBADMSG, EUCLEAN};
  if (error == ENOENT || error == ENOTDIR) return Flaw::Kind::missing;
  return std::find(kLasting.begin(), kLasting.end(), error) != kLasting.end() ? Flaw::Kind::lasting
                                                                              : Flaw::Kind::passing;
}

}  // namespace

DirectoryStorage::DirectoryStorage(std::string path, Files& files) : path_(std::move(path)), files_(files) {}

CheckpointStorage::Names DirectoryStorage::folders() {
  std::error_code error;
  std::vector<std::string> names = names_in(path_, error);
  if (error) return {{}, file_problem(path_, "cannot be read", error.value())};
  std::erase_if(names, [&](const std::string& name) { return !fs::is_directory(path_ + "/" + name, error); });
  return {std::move(names), {}};
}

CheckpointStorage::Names DirectoryStorage::objects(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names = names_in(path_of(folder), error);
  if (error && kind_of(error.value()) == Flaw::Kind::missing) return {};
  if (error) return {{}, file_problem(path_of(folder), "cannot be read", error.value())};
  std::erase_if(names, [](const std::string& name) { return name.ends_with(kTemporary); });
  return {std::move(names), {}};
}

/// Opens no FIFO: that would keep its reader waiting.
std::optional<Flaw> DirectoryStorage::read(const std::string& folder, const std::string& object,
                                           const Sink& sink) {
  const std::string path = path_of(folder, object);
  OpenFile file(files_, path, O_RDONLY | O_NONBLOCK);
  int error = file.error();
  if (error == 0 && !file.is_regular()) error = kNotRegular;
  std::vector<char> piece(error == 0 ? kPieceBytes : 0);
  while (error == 0) {
    const Files::Transfer done = files_.read(file.descriptor(), piece);
    if (done.error == EINTR) continue;
    error = done.error;
    if (error != 0) break;
    if (done.bytes == 0) return std::nullopt;
    sink({piece.data(), done.bytes});
  }
  return Flaw{file_problem(path, "cannot be read", error), kind_of(error)};
}

std::optional<Problem> DirectoryStorage::sync(const std::string& directory) const {
  if (const int error = sync_path(files_, directory))
    return file_problem(directory, "cannot be synced", error);
  return std::nullopt;
}

std::optional<Problem> DirectoryStorage::put(const std::string& folder, const std::string& object,
                                             std::string_view bytes) {
  const std::string directory = path_of(folder), path = path_of(folder, object);
  if (const int error = files_.make_directory(directory, kDirectoryMode); error != 0 && error != EEXIST)
    return file_problem(directory, "cannot be created", error);
  // Also where it exists: another writer may have made it, and died before it was synced.
  if (auto problem = sync(path_)) return problem;
  const std::string temporary = path + std::string(kTemporary);
  const auto failure = replace_file(files_, {.path = path, .temporary = temporary, .mode = kFileMode}, bytes);
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

/// What is not ours may be in it: then it stays.
std::optional<Problem> DirectoryStorage::remove_if_empty(const std::string& folder) {
  const std::string directory = path_of(folder);
  const int error = files_.remove(directory);
  if (error == 0) return sync(path_);
  if (error == ENOENT) return std::nullopt;
  if (error == ENOTEMPTY || error == EEXIST) return sync(directory);
  return file_problem(directory, "cannot be removed", error);
}

std::optional<Problem> DirectoryStorage::remove(const std::string& folder,
                                                const std::vector<std::string>& objects) {
  for (const std::string& object : objects)
    if (const int error = files_.remove(path_of(folder, object)); error != 0 && error != ENOENT)
      return file_problem(path_of(folder, object), "cannot be removed", error);
  return remove_if_empty(folder);
}

std::optional<Problem> DirectoryStorage::set_aside(const std::string& folder, const std::string& aside,
                                                   const std::string& /*first*/) {
  if (const int error = files_.rename(path_of(folder), path_of(aside)))
    return file_problem(path_of(folder), "cannot be set aside", error);
  return sync(path_);
}

std::optional<Problem> DirectoryStorage::remove_unfinished(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names = names_in(path_of(folder), error);
  if (error && kind_of(error.value()) == Flaw::Kind::missing) return std::nullopt;
  if (error) return file_problem(path_of(folder), "cannot be read", error.value());
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(kTemporary); });
  return names.empty() ? std::nullopt : remove(folder, names);
}

}  // namespace gauntlet
