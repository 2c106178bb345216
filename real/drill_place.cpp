#include "real/drill_place.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kDirectoryPrefix = "gauntlet-drill-";

/// Of this boot: CLOCK_MONOTONIC and every process are gone with it.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

/// Whether it is a directory that a drill of ours made: what a state file names is removed in the end.
bool is_drill_directory(const std::string& path) {
  struct stat found {};
  return std::filesystem::path(path).filename().string().starts_with(kDirectoryPrefix) &&
         lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 07777) == 0700;
}

/// Sockets, the journal, and checkpoints will be written there: a disk that is full or read-only is met before any
/// process is.
void probe_directory(const std::string& path) {
  const std::string name = path + "/probe";
  const std::string content(16'384, 'x');
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  errno = file < 0 ? errno : 0;
  const bool written = file >= 0 &&
                       write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
                       fsync(file) == 0;
  const int why = errno == 0 ? ENOSPC : errno;  // a short write
  if (file >= 0) close(file);
  unlink(name.c_str());
  if (!written) throw std::runtime_error(path + ": cannot be written: " + std::strerror(why));
}

}  // namespace

// --- the state file

StateFile::StateFile(const std::string& record) : path_(record + ".state") {
  while (true) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file_ < 0) throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int why = errno;
      close(std::exchange(file_, -1));
      if (why == EWOULDBLOCK) throw std::runtime_error(record + ": another driver runs this drill");
      throw std::runtime_error(path_ + ": cannot be locked: " + std::strerror(why));
    }
    struct stat ours {
    }, named{};
    const bool still_there = fstat(file_, &ours) == 0 && stat(path_.c_str(), &named) == 0;
    if (still_there && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) break;
    close(file_);  // the driver before us removed it when it ended
  }
}

StateFile::~StateFile() {
  struct stat ours {};
  if (fstat(file_, &ours) == 0 && ours.st_size == 0) remove();  // nothing was begun
  close(file_);
}

void StateFile::write(const DrillState& state) {
  const std::string text = boot_id() + '\n' + std::to_string(state.started_ns) + '\n' +
                           std::to_string(state.epoch) + '\n' + state.directory + '\n';
  if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(file_, static_cast<off_t>(text.size())) != 0 || fsync(file_) != 0) {
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
  }
}

DrillState StateFile::read(const std::string& record) const {
  std::ifstream file(path_);
  std::string boot;
  DrillState state;
  if (!std::getline(file, boot) || !(file >> state.started_ns >> state.epoch >> std::ws) ||
      !std::getline(file, state.directory)) {
    throw std::runtime_error(path_ + ": the state of this unfinished drill is missing; remove " + record +
                             " to begin anew");
  }
  if (boot != boot_id() || !std::filesystem::exists(state.directory)) {
    throw std::runtime_error(record +
                             ": this drill cannot go on, its processes and files are gone (the machine was "
                             "started again, or " +
                             state.directory + " removed); remove the recording to begin anew");
  }
  if (!is_drill_directory(state.directory)) {
    throw std::runtime_error(path_ + ": names " + state.directory +
                             ", which is no drill's directory of ours (" + kDirectoryPrefix +
                             "*, mode 0700)");
  }
  return state;
}

void StateFile::remove() { unlink(path_.c_str()); }

// --- the directory

std::string new_drill_directory() {
  const char* base = std::getenv("TMPDIR");
  std::string path =
      std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/" + kDirectoryPrefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    throw std::runtime_error(path + ": cannot be made: " + std::strerror(errno));
  return path;
}

void prepare_drill_directory(const std::string& path) {
  const std::string checkpoints = path + "/checkpoints";
  if (mkdir(checkpoints.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error(checkpoints + ": cannot be made: " + std::strerror(errno));
  }
  probe_directory(path);
  probe_directory(checkpoints);
}

void remove_drill_directory(const std::string& path) {
  std::error_code ignored;
  if (is_drill_directory(path)) std::filesystem::remove_all(path, ignored);
}

}  // namespace gauntlet
