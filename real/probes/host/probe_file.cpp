#include "real/probes/host/probe_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace gauntlet {
namespace {

constexpr mode_t kOwnerOnly = 0600;

/// What open(2) says of a file system, or of a kernel, that has no O_TMPFILE.
bool has_no_unnamed_files(int error) { return error == EOPNOTSUPP || error == EISDIR || error == EINVAL; }

}  // namespace

ProbeFile::ProbeFile(Files& files, const std::string& directory) : files_(files) {
  file_.emplace(files, directory, O_TMPFILE | O_RDWR | O_APPEND, kOwnerOnly);
  error_ = file_->error();
  if (!has_no_unnamed_files(error_)) return;
  name_ = directory + "/.gauntlet-probe-" + std::to_string(::getpid());
  file_.emplace(files, name_, O_CREAT | O_EXCL | O_RDWR | O_APPEND | O_NOFOLLOW, kOwnerOnly);
  error_ = file_->error();
  if (error_ != 0) {
    name_.clear();
    return;
  }
  error_ = files.remove(name_);
  if (error_ == 0) name_.clear();
}

ProbeFile::~ProbeFile() {
  if (!name_.empty()) static_cast<void>(files_.remove(name_));
}

int ProbeFile::rewind() {
  static_cast<void>(::posix_fadvise(file_->descriptor(), 0, 0, POSIX_FADV_DONTNEED));
  return ::lseek(file_->descriptor(), 0, SEEK_SET) == 0 ? 0 : errno;
}

int ProbeFile::read(std::span<char> into) {
  while (!into.empty()) {
    const Files::Transfer done = files_.read(file_->descriptor(), into);
    if (done.error == EINTR) continue;
    if (done.error != 0) return done.error;
    if (done.bytes == 0) return EIO;
    into = into.subspan(done.bytes);
  }
  return 0;
}

std::optional<double> ProbeFile::cached_share(std::size_t size) const {
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_->descriptor(), 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((size + page - 1) / page);
  const bool known = ::mincore(mapped, size, resident.data()) == 0;
  ::munmap(mapped, size);
  if (!known) return std::nullopt;
  const auto cached =
      std::count_if(resident.begin(), resident.end(), [](unsigned char each) { return (each & 1U) != 0; });
  return static_cast<double>(cached) / static_cast<double>(resident.size());
}

}  // namespace gauntlet
