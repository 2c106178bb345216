#include "real/runner/rank_file.hpp"

#include "real/system/kept_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace gauntlet {

std::optional<std::string> read_rank_file(const std::string& path, std::size_t most) {
  const Descriptor file = open_plain_file(path);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return std::nullopt;
  std::string bytes(std::min(most, static_cast<std::size_t>(found.st_size)), '\0');
  std::size_t length = 0;
  while (length < bytes.size()) {
    const ssize_t count =
        ::pread(file.get(), bytes.data() + length, bytes.size() - length, static_cast<off_t>(length));
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  bytes.resize(length);
  return bytes;
}

}  // namespace gauntlet
