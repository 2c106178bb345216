#include "real/fault_disk/program/file_system.hpp"

#include "real/fault_disk/program/unsynced.hpp"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define FUSE_USE_VERSION 312
#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace gauntlet {
namespace {

constexpr Duration kLook =
    std::chrono::milliseconds(2);  // how soon a call that waits sees the end of the fault

/// What a call does, as faults tell calls apart: `grows` needs space, `changes` needs none.
enum class Call : std::uint8_t { looks, changes, grows, syncs };

class FaultDisk {
 public:
  FaultDisk(int below, const DiskState& state) : below_(below), state_(state), cuts_(state.power_cuts()) {}

  int below() const { return below_; }
  Unsynced& unsynced() { return unsynced_; }
  bool lies() const { return state_.fault() == StorageFault::lying; }

  /// 0 where the call goes on, else a negative error.
  int answer(Call call) {
    if (const std::uint32_t cuts = state_.power_cuts(); cuts_.exchange(cuts) != cuts) unsynced_.lose();
    switch (state_.fault()) {
      case StorageFault::none:
      case StorageFault::lying:
        return 0;
      case StorageFault::full:
        return call == Call::grows ? -ENOSPC : 0;
      case StorageFault::failing:
        return -EIO;
      case StorageFault::slow:
        return call == Call::grows || call == Call::syncs ? wait(StorageFault::slow, state_.delay()) : 0;
      case StorageFault::hanging:
        return wait(StorageFault::hanging, kForever);
    }
    return -EIO;
  }

 private:
  /// Until the fault is over, or whoever called was killed.
  int wait(StorageFault fault, Duration longest) const {
    for (Duration waited{}; waited < longest && state_.fault() == fault; waited += kLook) {
      if (fuse_interrupted() != 0) return -EINTR;
      const timespec look{.tv_sec = 0, .tv_nsec = std::min(kLook, longest - waited).count()};
      ::nanosleep(&look, nullptr);
    }
    return 0;
  }

  int below_;
  const DiskState& state_;
  std::atomic<std::uint32_t> cuts_;
  Unsynced unsynced_;
};

FaultDisk& disk() { return *static_cast<FaultDisk*>(fuse_get_context()->private_data); }
int below() { return disk().below(); }
/// Relative to the directory below.
const char* inside(const char* path) { return path[1] == '\0' ? "." : path + 1; }
int file_of(const fuse_file_info* info) { return static_cast<int>(info->fh); }

template <class Action>
int call(Call what, Action action) {
  if (const int failed = disk().answer(what); failed != 0) return failed;
  const auto done = action();
  return done < 0 ? -errno : static_cast<int>(done);
}
/// What a call makes belongs to its caller from the beginning: another process may use it at once. The identity is the thread's own (setfsuid(2)).
class AsCaller {
 public:
  AsCaller() {
    const fuse_context* who = fuse_get_context();
    ::setfsgid(who->gid);
    ::setfsuid(who->uid);
  }
  ~AsCaller() {
    ::setfsuid(::geteuid());
    ::setfsgid(::getegid());
  }
  AsCaller(const AsCaller&) = delete;
  AsCaller& operator=(const AsCaller&) = delete;
};

int get_attributes(const char* path, struct stat* out, fuse_file_info*) {
  return call(Call::looks, [&] { return ::fstatat(below(), inside(path), out, AT_SYMLINK_NOFOLLOW); });
}
int read_link(const char* path, char* out, std::size_t size) {
  return call(Call::looks, [&] {
    const ssize_t length = ::readlinkat(below(), inside(path), out, size - 1);
    if (length >= 0) out[length] = '\0';
    return length < 0 ? -1 : 0;
  });
}
int make_directory(const char* path, mode_t mode) {
  return call(Call::grows, [&] {
    const AsCaller caller;
    return ::mkdirat(below(), inside(path), mode);
  });
}
int make_link(const char* target, const char* path) {
  return call(Call::grows, [&] {
    const AsCaller caller;
    return ::symlinkat(target, below(), inside(path));
  });
}
int remove_file(const char* path) {
  return call(Call::changes, [&] { return ::unlinkat(below(), inside(path), 0); });
}
int remove_directory(const char* path) {
  return call(Call::changes, [&] { return ::unlinkat(below(), inside(path), AT_REMOVEDIR); });
}
int rename_entry(const char* from, const char* to, unsigned flags) {
  return call(Call::changes, [&] { return ::renameat2(below(), inside(from), below(), inside(to), flags); });
}
int change_mode(const char* path, mode_t mode, fuse_file_info*) {
  return call(Call::changes, [&] { return ::fchmodat(below(), inside(path), mode, 0); });
}
int change_owner(const char* path, uid_t user, gid_t group, fuse_file_info*) {
  return call(Call::changes,
              [&] { return ::fchownat(below(), inside(path), user, group, AT_SYMLINK_NOFOLLOW); });
}
int change_times(const char* path, const timespec times[2], fuse_file_info*) {
  return call(Call::changes, [&] { return ::utimensat(below(), inside(path), times, AT_SYMLINK_NOFOLLOW); });
}

/// Not to append: the kernel gives the place of each write.
int open_below(const char* path, fuse_file_info* info, int flags, mode_t mode) {
  const int file =
      ::openat(below(), inside(path), ((info->flags & ~O_APPEND) | flags | O_NOFOLLOW | O_CLOEXEC), mode);
  if (file < 0) return -1;
  info->fh = static_cast<std::uint64_t>(file);
  return 0;
}
int open_file(const char* path, fuse_file_info* info) {
  return call(Call::looks, [&] { return open_below(path, info, 0, 0); });
}
int create_file(const char* path, mode_t mode, fuse_file_info* info) {
  return call(Call::grows, [&] {
    const AsCaller caller;
    return open_below(path, info, O_CREAT, mode);
  });
}
int resize_file(const char* path, off_t size, fuse_file_info* info) {
  return call(Call::changes, [&] {
    if (info != nullptr) return ::ftruncate(file_of(info), size);
    const int file = ::openat(below(), inside(path), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    const int done = file < 0 ? -1 : ::ftruncate(file, size);
    if (file >= 0) ::close(file);
    return done;
  });
}
int read_file(const char*, char* out, std::size_t size, off_t at, fuse_file_info* info) {
  return call(Call::looks, [&] { return ::pread(file_of(info), out, size, at); });
}
int write_file(const char*, const char* bytes, std::size_t size, off_t at, fuse_file_info* info) {
  return call(Call::grows, [&] {
    if (disk().lies()) disk().unsynced().will_write(file_of(info));
    return ::pwrite(file_of(info), bytes, size, at);
  });
}
int sync_file(const char*, int data_alone, fuse_file_info* info) {
  return call(Call::syncs, [&] {
    if (disk().lies()) return 0;
    const int done = data_alone != 0 ? ::fdatasync(file_of(info)) : ::fsync(file_of(info));
    if (done == 0) disk().unsynced().synced(file_of(info));
    return done;
  });
}
int close_file(const char*, fuse_file_info* info) { return ::close(file_of(info)) == 0 ? 0 : -errno; }

int list_directory(const char* path, void* out, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                   fuse_readdir_flags) {
  return call(Call::looks, [&] {
    const int folder = ::openat(below(), inside(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* const entries = folder < 0 ? nullptr : ::fdopendir(folder);
    if (entries == nullptr) return -1;
    while (const dirent* each = ::readdir(entries))
      fill(out, each->d_name, nullptr, 0, fuse_fill_dir_flags{});
    return ::closedir(entries);
  });
}
int sync_directory(const char* path, int, fuse_file_info*) {
  return call(Call::syncs, [&] {
    const int folder = ::openat(below(), inside(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    const int done = disk().lies() ? 0 : ::fsync(folder);
    ::close(folder);
    return done;
  });
}
int get_space(const char*, struct statvfs* out) {
  return call(Call::looks, [&] {
    const int done = ::fstatvfs(below(), out);
    if (done == 0 && disk().answer(Call::grows) == -ENOSPC) out->f_bfree = out->f_bavail = out->f_favail = 0;
    return done;
  });
}

/// Nothing is cached: other hosts write to the same directory, and a fault is there at once. A call of a process that is killed ends.
void* begin(fuse_conn_info*, fuse_config* config) {
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->direct_io = 1;
  config->use_ino = 1;
  config->intr = 1;
  return fuse_get_context()->private_data;
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = begin;
  all.getattr = get_attributes;
  all.readlink = read_link;
  all.mkdir = make_directory;
  all.symlink = make_link;
  all.unlink = remove_file;
  all.rmdir = remove_directory;
  all.rename = rename_entry;
  all.chmod = change_mode;
  all.chown = change_owner;
  all.utimens = change_times;
  all.open = open_file;
  all.create = create_file;
  all.truncate = resize_file;
  all.read = read_file;
  all.write = write_file;
  all.fsync = sync_file;
  all.release = close_file;
  all.readdir = list_directory;
  all.fsyncdir = sync_directory;
  all.statfs = get_space;
  return all;
}

}  // namespace

int serve_fault_disk(const std::string& directory, const DiskState& state, void (*mounted)()) {
  const int root = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return std::perror(directory.c_str()), 1;
  ::umask(0);  // the kernel has applied the caller's
  // What libfuse sends to the thread of a call that is interrupted. Version 3.14 installs no handler where init() asks for interruption.
  ::signal(SIGUSR1, [](int) {});
  FaultDisk served(root, state);
  std::string name = "gauntlet-fault-disk", option = "-o";
  std::string options = "allow_other,default_permissions,fsname=" + name;
  std::array<char*, 3> arguments = {name.data(), option.data(), options.data()};
  fuse_args parsed = FUSE_ARGS_INIT(static_cast<int>(arguments.size()), arguments.data());
  const fuse_operations all = operations();
  fuse* const session = fuse_new(&parsed, &all, sizeof all, &served);
  if (session == nullptr || fuse_mount(session, directory.c_str()) != 0) return 1;
  mounted();
  constexpr unsigned kThreads = 64;  // calls that hang at one time
  fuse_loop_config* const loop = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(loop, kThreads);
  const int ended = fuse_loop_mt(session, loop);
  fuse_loop_cfg_destroy(loop);
  fuse_unmount(session);
  fuse_destroy(session);
  ::close(root);
  return ended == 0 ? 0 : 1;
}

}  // namespace gauntlet
