#include "real/system/kept_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace gauntlet {

Descriptor open_plain_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return Descriptor();
  return file;
}

std::string_view KeptFile::read(std::span<char> room) const {
  if (!file_) file_ = open_plain_file(path_);
  std::size_t length = 0;
  while (file_ && length < room.size()) {
    const ssize_t count =
        ::pread(file_.get(), room.data() + length, room.size() - length, static_cast<off_t>(length));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file_.reset();
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  return {room.data(), file_ ? length : 0};
}

}  // namespace gauntlet
