#include "real/runner/rank_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

/// 0 where all of it is written.
int write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string RankLog::open() {
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat found {};
  if (!file_ || ::fstat(file_.get(), &found) != 0)
    return path_ + ": cannot be written: " + std::strerror(errno);
  bytes_ = static_cast<std::size_t>(found.st_size);
  return "";
}

std::string RankLog::write(std::string_view line) {
  if (!file_) return "";
  if (bytes_ > 0 && bytes_ + line.size() + 1 > kLogBytes) {
    static_cast<void>(::rename(path_.c_str(), (path_ + ".1").c_str()));
    if (std::string why = open(); !why.empty()) return why;
  }
  std::string text(line);
  text += '\n';
  const int error = write_all(file_.get(), text);
  bytes_ += text.size();
  if (error == 0 || std::exchange(has_failed_, true)) return "";
  return path_ + ": cannot be written: " + std::strerror(error);
}

}  // namespace gauntlet
