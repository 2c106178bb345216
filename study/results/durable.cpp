#include "study/results/durable.hpp"

#include "core/system_advice.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

std::string says(int error) { return system_message(error); }

std::optional<std::string> said(const std::error_code& error) {
  return error ? std::optional(error.message()) : std::nullopt;
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::optional<std::string> write_text(const fs::path& file, std::string_view text) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out < 0) return says(errno);
  int error = write_all(out, text);
  if (close(out) != 0 && error == 0) error = errno;
  return error == 0 ? std::nullopt : std::optional(says(error));
}

std::optional<std::string> not_a_file(const fs::path& path) {
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::fifo:
      return "is a FIFO, not a file";
    case fs::file_type::socket:
      return "is a socket, not a file";
    case fs::file_type::directory:
      return "is a directory, not a file";
    case fs::file_type::character:
    case fs::file_type::block:
      return "is a device, not a file";
    default:
      return std::nullopt;
  }
}

std::optional<std::string> sync_to_disk(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return says(errno);
  // EINVAL: a special file system that has nothing to bring anywhere.
  const int error = fsync(file) == 0 || errno == EINVAL ? 0 : errno;
  close(file);
  return error == 0 ? std::nullopt : std::optional(says(error));
}

std::optional<std::string> sync_all(const fs::path& directory) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (auto why = sync_to_disk(entry.path())) return why;
  if (error) return error.message();
  return sync_to_disk(directory);
}

std::optional<std::string> take_name(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::is_directory(to, error) || fs::is_empty(to, error)) {
    fs::rename(from, to, error);
    return said(error);
  }
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return std::nullopt;
  if (errno != EINVAL && errno != ENOSYS) return says(errno);
  const fs::path aside = from.string() + ".replaced";
  fs::rename(to, aside, error);
  if (error) return said(error);
  fs::rename(from, to, error);
  std::error_code ignored;
  fs::rename(aside, error ? to : from, ignored);
  return said(error);
}

}  // namespace gauntlet
