#include "real/record_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr int kFlags =
    O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // a FIFO keeps nobody waiting

std::string cannot_be_written() { return std::string("cannot be written: ") + std::strerror(errno); }

}  // namespace

RecordFile::RecordFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666)) {
  if (!file_) fail(errno == EEXIST ? "exists" : cannot_be_written());
}

RecordFile::RecordFile(const std::string& path, std::uint64_t whole_bytes)
    : path_(path), file_(open(path.c_str(), kFlags)) {
  if (!file_) fail(errno == ELOOP ? "is a symbolic link, which is not followed" : cannot_be_written());
  struct stat found {};
  if (fstat(file_.get(), &found) != 0) fail(cannot_be_written());
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid()) fail("is not a regular file of this user");
  if (static_cast<std::uint64_t>(found.st_size) < whole_bytes) fail("was cut since it was read");
  if (ftruncate(file_.get(), static_cast<off_t>(whole_bytes)) != 0) fail(cannot_be_written());
}

void RecordFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) fail(cannot_be_written());
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void RecordFile::fail(const std::string& why) const { throw std::runtime_error(path_ + ": " + why); }

}  // namespace gauntlet
