#include "tests/files/lossy_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace gauntlet {
namespace {

using Call = FaultyDisk::Call;

bool needs_space(Call call) {
  return call == Call::create || call == Call::write || call == Call::sync || call == Call::rename ||
         call == Call::make_directory;
}

/// Signals interrupt calls that wait: signal(7).
bool is_interruptible(Call call) {
  return call == Call::open || call == Call::create || call == Call::read || call == Call::write ||
         call == Call::truncate || call == Call::sync;
}

bool can_fail_with(int error, Call call) {
  if (error == EINTR) return is_interruptible(call);
  if (error == EMFILE) return call == Call::open || call == Call::create;
  return true;
}

}  // namespace

int FaultyDisk::meet(Call call) {
  calls_.push_back(call);
  is_short_ = false;
  if (calls() < fault_.at) return 0;
  const bool now = calls() == fault_.at;
  switch (fault_.kind) {
    case DiskFault::Kind::none:
      return 0;
    case DiskFault::Kind::power_cut:
      has_failed_ = true;
      return EIO;
    case DiskFault::Kind::error:
      if (!now || !can_fail_with(fault_.error, call)) return 0;
      has_failed_ = true;
      return fault_.error;
    case DiskFault::Kind::lying_sync:
      has_failed_ = has_failed_ || (now && call == Call::sync);
      return 0;
    case DiskFault::Kind::full_disk:
      if (!needs_space(call)) return 0;
      has_failed_ = true;
      return ENOSPC;
    case DiskFault::Kind::last_space:
      if (!now && has_failed_ && needs_space(call)) return ENOSPC;
      [[fallthrough]];
    case DiskFault::Kind::short_write:
      is_short_ = now && call == Call::write;
      has_failed_ = has_failed_ || is_short_;
      return 0;
  }
  return 0;
}

std::size_t FaultyDisk::bytes_written(std::size_t bytes) const {
  return is_short_ && bytes > 1 ? bytes / 2 : bytes;
}

Files::Opened LossyFiles::open(const std::string& path, int flags, mode_t mode) {
  const bool creates = (flags & O_CREAT) != 0;
  if (const int error = disk_.meet(creates ? Call::create : Call::open)) return {.error = error};
  const Opened opened = system_files().open(path, flags, mode);
  if (opened.error != 0) return opened;
  auto inode = disk_.disk.find(path);
  if (!inode && creates) inode = disk_.disk.create(path, false);
  if (!inode) return opened;  // what was made beside this layer is not the disk's
  if ((flags & O_TRUNC) != 0) disk_.disk.truncate(*inode, 0);
  open_[opened.descriptor] = *inode;
  return opened;
}

Files::Transfer LossyFiles::read(int descriptor, std::span<char> into) {
  if (const int error = disk_.meet(Call::read)) return {.error = error};
  return system_files().read(descriptor, into);
}

Files::Transfer LossyFiles::write(int descriptor, std::string_view bytes) {
  if (const int error = disk_.meet(Call::write)) return {.error = error};
  const Transfer done = system_files().write(descriptor, bytes.substr(0, disk_.bytes_written(bytes.size())));
  if (done.error == 0) disk_.disk.append(open_.at(descriptor), bytes.substr(0, done.bytes));
  return done;
}

int LossyFiles::truncate(int descriptor, std::uint64_t size) {
  if (const int error = disk_.meet(Call::truncate)) return error;
  const int error = system_files().truncate(descriptor, size);
  if (error == 0) disk_.disk.truncate(open_.at(descriptor), size);
  return error;
}

int LossyFiles::sync(int descriptor) {
  const auto inode = open_.find(descriptor);
  const int error = disk_.meet(Call::sync);
  if (inode == open_.end()) return error;
  if (error != 0 && error != EINTR && !disk_.is_off()) disk_.disk.fail_sync(inode->second);
  if (error != 0) return error;
  if (disk_.lies())
    disk_.disk.lie_about_sync(inode->second);
  else
    disk_.disk.sync(inode->second);
  return 0;
}

int LossyFiles::sync_file_system(int) {
  const int error = disk_.meet(Call::sync);
  if (error == 0) disk_.disk.sync_everything();
  return error;
}

int LossyFiles::close(int descriptor) {
  open_.erase(descriptor);
  const int error = disk_.meet(Call::close);
  const int closed = system_files().close(descriptor);
  return error != 0 ? error : closed;
}

int LossyFiles::rename(const std::string& from, const std::string& to) {
  if (const int error = disk_.meet(Call::rename)) return error;
  const int error = system_files().rename(from, to);
  if (error == 0) disk_.disk.rename(from, to);
  return error;
}

int LossyFiles::exchange(const std::string& one, const std::string& other) {
  if (const int error = disk_.meet(Call::rename)) return error;
  const int error = system_files().exchange(one, other);
  if (error == 0) disk_.disk.exchange(one, other);
  return error;
}

int LossyFiles::remove(const std::string& path) {
  if (const int error = disk_.meet(Call::remove)) return error;
  const int error = system_files().remove(path);
  if (error == 0) disk_.disk.remove(path);
  return error;
}

int LossyFiles::make_directory(const std::string& path, mode_t mode) {
  if (const int error = disk_.meet(Call::make_directory)) return error;
  const int error = system_files().make_directory(path, mode);
  if (error == 0) disk_.disk.create(path, true);
  return error;
}

}  // namespace gauntlet
