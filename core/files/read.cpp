#include "core/files/read.hpp"

#include "core/files/open_file.hpp"

#include <fcntl.h>

#include <filesystem>
#include <system_error>

namespace gauntlet {

ReadBytes read_bytes(Files& files, const std::string& path) {
  OpenFile file(files, path, O_RDONLY);
  ReadBytes read{.bytes = {}, .error = file.error()};
  if (read.error == 0) read.error = file.read(read.bytes);
  return read;
}

std::optional<std::string> not_a_file(const std::string& path) {
  namespace fs = std::filesystem;
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

std::optional<std::string> out_of_reach(const std::string& path) {
  std::error_code error;
  const bool is_known = std::filesystem::status_known(std::filesystem::symlink_status(path, error));
  return is_known ? std::nullopt : std::optional(error.message());
}

}  // namespace gauntlet
