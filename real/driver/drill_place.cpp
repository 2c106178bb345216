#include "real/driver/drill_place.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"
#include "core/record/fingerprint.hpp"
#include "core/system_advice.hpp"
#include "real/stream/messages.hpp"
#include "real/system/process_name.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kDirectoryPrefix = "gauntlet-drill-";
constexpr const char* kStateSuffix = ".state";

std::runtime_error refused(const std::string& path, const char* what, int error) {
  return std::runtime_error(path + what + system_message_with_advice(error));
}
constexpr const char* kCannotBeWritten = ": cannot be written: ";

ReplacedFile file_of_ours(const std::string& path) {
  return {.path = path, .temporary = path + ".new", .mode = 0600};
}

/// Sockets, the journal, and checkpoints will be written there: a disk that is full or read-only is met before any
/// process is.
void probe_directory(Files& files, const std::string& path) {
  const std::string name = path + "/probe";
  const auto failure = replace_file(files, file_of_ours(name), std::string(16'384, 'x'));
  files.remove(name);
  if (failure) throw refused(path, kCannotBeWritten, failure->error);
}

/// Ranks cannot read the checkpoints that ranks of another user wrote.
void refuse_other_user(const std::string& checkpoints, bool earlier, const std::optional<RankUser>& user) {
  struct stat found {};
  if (!earlier || stat(checkpoints.c_str(), &found) != 0) return;
  const uid_t wanted = user ? user->uid : geteuid();
  if (found.st_uid == wanted || found.st_uid == geteuid()) return;
  throw std::runtime_error(checkpoints + ": belongs to user " + std::to_string(found.st_uid) +
                           ", as whom this drill ran its ranks: write --run-as " +
                           std::to_string(found.st_uid));
}

}  // namespace

bool is_drill_directory(const std::string& path) {
  struct stat found {};
  return std::filesystem::path(path).filename().string().starts_with(kDirectoryPrefix) &&
         lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 07767) == 0700;
}

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

StateFile::StateFile(const std::string& record, Files& files) : path_(record + kStateSuffix), files_(files) {
  while (true) {
    lock_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock_ < 0) throw refused(path_, kCannotBeWritten, errno);
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      const int why = errno;
      close(std::exchange(lock_, -1));
      if (why == EWOULDBLOCK) throw std::runtime_error(record + ": another driver runs this drill");
      throw refused(path_, ": cannot be locked: ", why);
    }
    struct stat ours {
    }, named{};
    const bool still_there = fstat(lock_, &ours) == 0 && lstat(path_.c_str(), &named) == 0;
    if (still_there && (!S_ISREG(ours.st_mode) || ours.st_uid != geteuid())) {
      close(std::exchange(lock_, -1));
      throw std::runtime_error(path_ + ": is not a regular file of this user; give another --record");
    }
    if (still_there && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) break;
    close(lock_);  // the driver before us removed it when it ended, or wrote another state
  }
}

StateFile::~StateFile() {
  if (!holds_state()) remove();  // nothing was begun
  close(lock_);
}

bool StateFile::holds_state() const {
  struct stat ours {};
  return fstat(lock_, &ours) != 0 || ours.st_size > 0;
}

void StateFile::write(const DrillState& state) {
  const std::string text = boot_id() + '\n' + std::to_string(state.started_ns) + '\n' +
                           std::to_string(state.epoch) + '\n' + std::to_string(state.plan.faults) + ' ' +
                           std::to_string(state.plan.fingerprint) + '\n' + state.directory + '\n';
  int next = -1;  // the lock on the new file: held before anybody can open that
  ReplacedFile file = file_of_ours(path_);
  file.before_naming = [&next](int descriptor) {
    next = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return next >= 0 && flock(next, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  };
  const auto failure = replace_file(files_, file, text);
  if (!failure || failure->at == ReplaceFailure::At::syncing_the_name) std::swap(lock_, next);
  if (next >= 0) close(next);
  if (failure) throw refused(path_, kCannotBeWritten, failure->error);
}

DrillState StateFile::read(const std::string& record) const {
  const ReadBytes read = read_bytes(files_, path_);
  if (read.error != 0) throw refused(path_, ": cannot be read: ", read.error);
  std::istringstream file(read.bytes);
  std::string boot;
  DrillState state;
  if (!std::getline(file, boot) ||
      !(file >> state.started_ns >> state.epoch >> state.plan.faults >> state.plan.fingerprint >> std::ws) ||
      !std::getline(file, state.directory)) {
    throw std::runtime_error(path_ + ": the state of this unfinished drill is missing or not whole; remove " +
                             record + " to start again");
  }
  if (boot != boot_id() || !std::filesystem::exists(state.directory)) {
    throw std::runtime_error(
        record +
        ": this drill cannot continue: its processes and files are gone (the machine was "
        "started again, or " +
        state.directory + " removed); remove the recording to start again");
  }
  if (!is_drill_directory(state.directory)) {
    throw std::runtime_error(path_ + ": names " + state.directory +
                             ", which is not the directory of a drill (" + kDirectoryPrefix +
                             "*, mode 0700)");
  }
  return state;
}

void StateFile::remove() {
  files_.remove(path_);
  sync_name(files_, path_);
}

std::string drill_directory_of(const std::string& record) {
  std::ifstream file(record + kStateSuffix);
  std::string last;  // as StateFile::write() has it
  for (std::string line; std::getline(file, line);) last = line;
  return last;
}

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

std::string drill_log(const std::string& directory) { return directory + "/log"; }
std::string operators_file(const std::string& directory) { return directory + "/operators"; }
std::string missed_faults_file(const std::string& directory) { return directory + "/missed-faults"; }

void prepare_drill_directory(const std::string& path, Files& files, const std::optional<RankUser>& user) {
  const std::string checkpoints = path + "/checkpoints";
  const int error = files.make_directory(checkpoints, 0700);
  if (error != 0 && error != EEXIST) throw refused(checkpoints, ": cannot be made: ", error);
  refuse_other_user(checkpoints, error == EEXIST, user);
  probe_directory(files, path);
  probe_directory(files, checkpoints);
  if (!user) return;
  let_pass(*user, path);
  give_to(*user, checkpoints);
}

void write_epoch(const std::string& directory, std::uint64_t epoch, Files& files) {
  const std::string name = directory + "/epoch";
  const auto failure = replace_file(files, file_of_ours(name), std::to_string(epoch) + '\n');
  if (failure) throw refused(name, kCannotBeWritten, failure->error);
}

std::optional<std::uint64_t> newest_epoch(const std::string& directory) {
  std::ifstream file(directory + "/epoch");
  std::uint64_t epoch = 0;
  return file >> epoch ? std::optional(epoch) : std::nullopt;
}

std::string problem_of_owner(const std::string& directory, std::uint64_t epoch) {
  const std::optional<std::uint64_t> newest = newest_epoch(directory);
  if (newest && *newest <= epoch) return "";
  return "another driver took over: " +
         (newest ? kDriverOfEpoch + std::to_string(*newest) + " has this drill" : directory + " is removed");
}

void remove_drill_directory(const std::string& path) {
  std::error_code ignored;
  if (is_drill_directory(path)) std::filesystem::remove_all(path, ignored);
}

}  // namespace gauntlet
