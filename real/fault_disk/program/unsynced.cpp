#include "real/fault_disk/program/unsynced.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace gauntlet {

void Unsynced::will_write(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return;
  const std::lock_guard lock(mutex_);
  if (files_.contains(found.st_ino)) return;
  files_[found.st_ino] = {.file = ::fcntl(file, F_DUPFD_CLOEXEC, 0), .length = found.st_size};
}

void Unsynced::synced(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return;
  const std::lock_guard lock(mutex_);
  const auto kept = files_.find(found.st_ino);
  if (kept == files_.end()) return;
  ::close(kept->second.file);
  files_.erase(kept);
}

void Unsynced::lose() {
  const std::lock_guard lock(mutex_);
  for (const auto& [inode, kept] : files_)
    if (::ftruncate(kept.file, kept.length) != 0) std::perror("what was not synced is not lost");
  forget();
}

void Unsynced::forget() {
  for (const auto& [inode, kept] : files_) ::close(kept.file);
  files_.clear();
}

}  // namespace gauntlet
