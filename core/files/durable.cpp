#include "core/files/durable.hpp"

#include "core/files/open_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// The disk gets this much of a large file while the next piece is copied into the page cache. With pieces of 16 MiB and of 64 MiB
// a file of 1 GB was whole after 0.7 of the time: docs/performance.md.
constexpr std::size_t kPieceBytes = 16 << 20;

constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

std::string directory_of(const std::string& path) {
  fs::path file(path);
  if (!file.has_filename()) file = file.parent_path();  // a trailing slash
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

OpenFile make_file(Files& files, const std::string& path, mode_t mode, int& error) {
  OpenFile file(files, path, kNewFile, mode);
  error = file.error();
  if (error != EEXIST) return file;
  error = files.remove(path);
  if (error != 0) return file;
  OpenFile again(files, path, kNewFile, mode);
  error = again.error();
  return again;
}

int write_in_pieces(OpenFile& file, std::string_view bytes) {
  std::size_t at = 0;
  for (; bytes.size() - at > kPieceBytes; at += kPieceBytes) {
    if (const int error = file.write(bytes.substr(at, kPieceBytes))) return error;
    file.begin_writeback(at, kPieceBytes);
  }
  return file.write(bytes.substr(at));
}

int write_new_durably(Files& files, const ReplacedFile& replaced, std::string_view bytes) {
  int error = 0;
  OpenFile file = make_file(files, replaced.temporary, replaced.mode, error);
  if (error == 0) error = write_in_pieces(file, bytes);
  if (error == 0) error = file.sync();
  if (error == 0 && replaced.before_naming) error = replaced.before_naming(file.descriptor());
  const int closed = file.close();
  return error == 0 ? closed : error;
}

/// Every path directly in a directory. First all of them: a process with few descriptors cannot remove while it lists.
std::vector<std::string> paths_in(const std::string& directory, int& error) {
  std::vector<std::string> paths;
  std::error_code listed;
  fs::directory_iterator at(directory, listed);
  for (; !listed && at != fs::directory_iterator(); at.increment(listed))
    paths.push_back(at->path().string());
  error = listed.value();
  return paths;
}

}  // namespace

std::string temporary_name(const std::string& path) {
  return path + "." + std::to_string(::getpid()) + ".part";
}

std::optional<ReplaceFailure> replace_file(Files& files, const ReplacedFile& file, std::string_view bytes) {
  using At = ReplaceFailure::At;
  if (const int error = write_new_durably(files, file, bytes)) {
    files.remove(file.temporary);
    return ReplaceFailure{.at = At::writing, .error = error};
  }
  if (const int error = files.rename(file.temporary, file.path)) {
    files.remove(file.temporary);
    return ReplaceFailure{.at = At::naming, .error = error};
  }
  if (const int error = sync_name(files, file.path))
    return ReplaceFailure{.at = At::syncing_the_name, .error = error};
  return std::nullopt;
}

int write_file(Files& files, const std::string& path, std::string_view bytes) {
  OpenFile file(files, path, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.error() != 0) return file.error();
  const int error = file.write(bytes);
  const int closed = file.close();
  return error == 0 ? closed : error;
}

int copy_file(Files& files, const std::string& from, const std::string& to) {
  OpenFile source(files, from, O_RDONLY);
  if (source.error() != 0) return source.error();
  OpenFile target(files, to, O_WRONLY | O_CREAT | O_TRUNC);
  if (target.error() != 0) return target.error();
  std::vector<char> part(1 << 20);
  while (true) {
    const Files::Transfer done = files.read(source.descriptor(), part);
    if (done.error == EINTR) continue;
    if (done.error != 0) return done.error;
    if (done.bytes == 0) break;
    if (const int error = target.write({part.data(), done.bytes})) return error;
  }
  const int error = target.sync();
  const int closed = target.close();
  return error == 0 ? closed : error;
}

int sync_path(Files& files, const std::string& path) {
  OpenFile file(files, path, O_RDONLY);
  return file.error() != 0 ? file.error() : file.sync();
}

int sync_all(Files& files, const std::string& directory) {
  int error = 0;
  for (const std::string& path : paths_in(directory, error))
    if (const int failed = sync_path(files, path)) return failed;
  return error != 0 ? error : sync_path(files, directory);
}

int sync_name(Files& files, const std::string& path) {
  OpenFile directory(files, directory_of(path), O_RDONLY | O_DIRECTORY);
  if (directory.error() == 0) return directory.sync();
  if (directory.error() != EACCES) return directory.error();
  OpenFile file(files, path, O_RDONLY);
  return file.error() != 0 ? file.error() : file.sync_file_system();
}

int take_name(Files& files, const std::string& from, const std::string& to) {
  std::error_code none;
  if (!fs::is_directory(to, none) || fs::is_empty(to, none)) return files.rename(from, to);
  const int exchanged = files.exchange(from, to);
  if (exchanged != EINVAL && exchanged != ENOSYS) return exchanged;
  const std::string aside = from + ".replaced";
  if (const int error = files.rename(to, aside)) return error;
  const int error = files.rename(from, to);
  files.rename(aside, error != 0 ? to : from);
  return error;
}

int remove_all(Files& files, const std::string& path) {
  std::error_code none;
  if (fs::is_directory(fs::symlink_status(path, none))) {
    int error = 0;
    for (const std::string& each : paths_in(path, error))
      if (const int failed = remove_all(files, each)) return failed;
    if (error != 0) return error;
  }
  const int error = files.remove(path);
  return error == ENOENT ? 0 : error;
}

}  // namespace gauntlet
