#include "real/checkpoint/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gauntlet {
namespace {

/// Closes what it was given.
class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// 0, or the errno of what failed.
int write_and_sync(const std::string& path, std::string_view bytes) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (!file) return errno;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.descriptor(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file.descriptor()) == 0 ? 0 : errno;
}

std::string suggestion_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space there, or name another directory";
    case EROFS:
    case EACCES:
    case EPERM:
      return "let this user write there, or name another directory";
    case ENOENT:
    case ENOTDIR:
      return "create it, or name another directory";
    default:
      return {};
  }
}

}  // namespace

Problem file_problem(const std::string& path, const std::string& what, int error) {
  return {.file = path,
          .what = what,
          .why = "(" + std::generic_category().message(error) + ")",
          .suggestion = suggestion_for(error)};
}

std::optional<Problem> write_durably(const std::string& directory, const std::string& name,
                                     std::string_view bytes) {
  const std::string path = directory + "/" + name;
  const std::string temporary = path + std::string(kTemporarySuffix);
  if (const int error = write_and_sync(temporary, bytes)) {
    ::unlink(temporary.c_str());
    return file_problem(temporary, "cannot be written", error);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return file_problem(path, "cannot be named", error);
  }
  return sync_directory(directory);
}

std::optional<Problem> sync_directory(const std::string& directory) {
  const File file(directory, O_RDONLY | O_DIRECTORY);
  if (!file || ::fsync(file.descriptor()) != 0) return file_problem(directory, "cannot be synced", errno);
  return std::nullopt;
}

ReadFile read_file(const std::string& path) {
  const File file(path, O_RDONLY);
  if (!file) return {{}, file_problem(path, "cannot be read", errno)};
  std::string bytes;
  std::array<char, 1 << 16> part{};
  while (true) {
    const ssize_t count = ::read(file.descriptor(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {{}, file_problem(path, "cannot be read", errno)};
    if (count == 0) return {std::move(bytes), {}};
    bytes.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace gauntlet
