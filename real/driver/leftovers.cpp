#include "real/driver/leftovers.hpp"

#include "real/driver/drill_place.hpp"
#include "real/system/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordPrefix = "gauntlet-record-";
constexpr const char* kRecord = "drill.rec";
constexpr const char* kState = "drill.rec.state";

bool is_record_directory(const fs::path& path) {
  struct stat found {};
  return path.filename().string().starts_with(kRecordPrefix) && ::lstat(path.c_str(), &found) == 0 &&
         S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 07777) == 0700;
}

/// The lock of a driver that is dead; empty where that cannot be known. A driver has the lock before its state has any bytes
/// (StateFile::write), so an empty state may be of a driver that begins.
Descriptor lock_of_dead_driver(const fs::path& directory) {
  Descriptor state(::open((directory / kState).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat found {};
  const bool holds =
      state && ::fstat(state.get(), &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
  return holds && ::flock(state.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(state) : Descriptor();
}

/// Whether an agent or the keeper of a lab lives there.
bool is_in_use(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(directory, ignored)) {
    if (each.path().extension() != ".lock") continue;
    const Descriptor lock(::open(each.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!lock || holder_of(lock)) return true;
  }
  return false;
}

}  // namespace

std::string new_temporary_record() { return new_private_directory(kRecordPrefix) + "/" + kRecord; }

std::vector<std::string> remove_leftovers(const std::string& base) {
  std::vector<std::string> removed;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(base, ignored)) {
    if (!is_record_directory(each.path())) continue;
    const Descriptor lock = lock_of_dead_driver(each.path());
    if (!lock) continue;
    const std::string drill = drill_directory_of((each.path() / kRecord).string());
    if (is_in_use(drill)) continue;
    remove_drill_directory(drill);
    fs::remove_all(each.path(), ignored);
    removed.push_back(each.path().string());
  }
  return removed;
}

}  // namespace gauntlet
