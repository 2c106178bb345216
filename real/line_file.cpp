#include "real/line_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gauntlet {

LineFile::LineFile(const std::string& path) : path_(path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string text = std::move(all).str();
  std::size_t whole = 0;
  for (std::size_t end = 0; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1)
    found_.push_back(text.substr(whole, end - whole));
  file_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) fail();
  if (whole < text.size() && ftruncate(file_.get(), static_cast<off_t>(whole)) != 0) fail();
}

void LineFile::append(const std::string& line) {
  const std::string text = line + '\n';
  const ssize_t written = write(file_.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  if (written >= 0) errno = ENOSPC;
  fail();
}

void LineFile::sync() {
  if (fdatasync(file_.get()) != 0) fail();
}

void LineFile::fail() const {
  throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace gauntlet
