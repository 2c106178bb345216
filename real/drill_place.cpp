#include "real/drill_place.hpp"

#include "core/record/fingerprint.hpp"

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

PlanMark mark_of(const FaultPlan& plan) {
  Fingerprint all;
  for (const PlannedFault& fault : plan) {
    all.add(static_cast<std::uint64_t>(fault.at.time_since_epoch().count()));
    all.add(std::uint64_t{fault.kind.value});
    all.add(static_cast<std::uint64_t>(fault.component.kind));
    all.add(std::uint64_t{fault.component.index});
  }
  return {.faults = plan.size(), .fingerprint = all.value()};
}

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
    const bool still_there = fstat(file_, &ours) == 0 && lstat(path_.c_str(), &named) == 0;
    if (still_there && (!S_ISREG(ours.st_mode) || ours.st_uid != geteuid())) {
      close(std::exchange(file_, -1));
      throw std::runtime_error(path_ + ": is not a regular file of this user; give another --record");
    }
    if (still_there && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) break;
    close(file_);  // the driver before us removed it when it ended
  }
}

StateFile::~StateFile() {
  if (!holds_state()) remove();  // nothing was begun
  close(file_);
}

bool StateFile::holds_state() const {
  struct stat ours {};
  return fstat(file_, &ours) != 0 || ours.st_size > 0;
}

void StateFile::write(const DrillState& state) {
  const std::string text = boot_id() + '\n' + std::to_string(state.started_ns) + '\n' +
                           std::to_string(state.epoch) + '\n' + std::to_string(state.plan.faults) + ' ' +
                           std::to_string(state.plan.fingerprint) + '\n' + state.directory + '\n';
  if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(file_, static_cast<off_t>(text.size())) != 0 || fsync(file_) != 0) {
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
  }
}

DrillState StateFile::read(const std::string& record) const {
  std::ifstream file(path_);
  std::string boot;
  DrillState state;
  if (!std::getline(file, boot) ||
      !(file >> state.started_ns >> state.epoch >> state.plan.faults >> state.plan.fingerprint >> std::ws) ||
      !std::getline(file, state.directory)) {
    throw std::runtime_error(path_ + ": the state of this unfinished drill is missing or not whole; remove " +
                             record + " to begin anew");
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

std::string drill_base() {
  const char* base = std::getenv("TMPDIR");
  return base != nullptr && *base != '\0' ? base : "/tmp";
}

std::optional<Problem> problem_of_drill_base() {
  const std::string base = drill_base();
  struct stat found {};
  const bool directory = stat(base.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  if (directory && access(base.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return Problem{.file = "TMPDIR",
                 .what = base,
                 .why = directory ? std::string("cannot be written: ") + std::strerror(errno)
                                  : "is not a directory, and a drill keeps its sockets and checkpoints there",
                 .suggestion = "set TMPDIR to a directory in which you may write"};
}

std::string new_private_directory(const std::string& prefix) {
  std::string path = drill_base() + "/" + prefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    throw std::runtime_error(path + ": cannot be made: " + std::strerror(errno) +
                             "; set TMPDIR to a directory that can be written");
  }
  return path;
}

std::string new_drill_directory() { return new_private_directory(kDirectoryPrefix); }

void prepare_drill_directory(const std::string& path) {
  const std::string checkpoints = path + "/checkpoints";
  if (mkdir(checkpoints.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error(checkpoints + ": cannot be made: " + std::strerror(errno));
  }
  probe_directory(path);
  probe_directory(checkpoints);
}

void write_epoch(const std::string& directory, std::uint64_t epoch) {
  const std::string name = directory + "/epoch", written = name + ".new";
  {
    std::ofstream file(written);
    file << epoch << std::endl;
    if (!file) throw std::runtime_error(written + ": cannot be written");
  }
  std::filesystem::rename(written, name);
}

std::optional<std::uint64_t> newest_epoch(const std::string& directory) {
  std::ifstream file(directory + "/epoch");
  std::uint64_t epoch = 0;
  return file >> epoch ? std::optional(epoch) : std::nullopt;
}

void remove_drill_directory(const std::string& path) {
  std::error_code ignored;
  if (is_drill_directory(path)) std::filesystem::remove_all(path, ignored);
}

}  // namespace gauntlet
