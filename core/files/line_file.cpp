#include "core/files/line_file.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace gauntlet {

namespace {

constexpr mode_t kMode =
    0600;  // for its owner alone: the user of a drill's ranks passes through the drill's directory

}  // namespace

LineFile::LineFile(const std::string& path, Files& files) {
  const ReadBytes read = read_bytes(files, path);
  if (read.error == ENOENT) {
    file_.emplace(path, files, kMode);
    return;
  }
  const auto refused = [&](const char* what, int error) {
    return std::runtime_error(path + what + std::generic_category().message(error));
  };
  if (read.error != 0) throw refused(": cannot be read: ", read.error);
  std::size_t whole = 0;
  for (std::size_t end = 0; (end = read.bytes.find('\n', whole)) != std::string::npos; whole = end + 1)
    found_.push_back(read.bytes.substr(whole, end - whole));
  const std::string kept = read.bytes.substr(0, whole);
  if (const auto failure =
          replace_file(files, {.path = path, .temporary = path + ".tmp", .mode = kMode}, kept))
    throw refused(": cannot be written: ", failure->error);
  file_.emplace(path, whole, files);
}

}  // namespace gauntlet
