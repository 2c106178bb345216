#include "real/checkpoint/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gauntlet {
namespace {

constexpr int kNotRegular = -1;  // beside every errno

/// Closes what it opened. A file that is not of the kind that is wanted (a FIFO would keep its reader waiting) is not
/// opened: `error()` says so.
class File {
 public:
  File(const std::string& path, int flags, mode_t kind = S_IFREG)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600)),
        error_(descriptor_ < 0 ? errno : 0) {
    struct stat found {};
    if (error_ != 0 || (::fstat(descriptor_, &found) == 0 && (found.st_mode & S_IFMT) == kind)) return;
    close();
    error_ = kNotRegular;
  }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }
  int error() const { return error_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  int descriptor_;
  int error_;  // 0, an errno or kNotRegular
};

/// 0, or why it failed, as File has it.
int write_and_sync(const std::string& path, std::string_view bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (!file) return file.error();
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
  return {
      .file = path,
      .what = what,
      .why = "(" +
             (error == kNotRegular ? "it is not a regular file" : std::generic_category().message(error)) +
             ")",
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
  const File file(directory, O_RDONLY | O_DIRECTORY, S_IFDIR);
  if (!file) return file_problem(directory, "cannot be synced", file.error());
  if (::fsync(file.descriptor()) != 0) return file_problem(directory, "cannot be synced", errno);
  return std::nullopt;
}

ReadFile read_file(const std::string& path) {
  const File file(path, O_RDONLY);
  if (!file) return {{}, file_problem(path, "cannot be read", file.error())};
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
