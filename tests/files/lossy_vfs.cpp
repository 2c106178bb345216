#include "tests/files/lossy_vfs.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

namespace gauntlet {

struct LossyVfs::Vfs : sqlite3_vfs {
  sqlite3_vfs* system = nullptr;
  FaultyDisk* disk = nullptr;
};

namespace {

using Call = FaultyDisk::Call;

/// What SQLite holds of an open file; the system's part follows it in memory.
struct File {
  sqlite3_file base;
  FaultyDisk* disk;
  LossyDisk::Inode inode;
  bool is_known;     // the disk knows it: a temporary file is nobody's loss
  bool syncs_name;   // a new journal: its first sync makes its name durable (os_unix.c, UNIXFILE_DIRSYNC)
  const char* path;  // SQLite keeps it as long as the file is open

  sqlite3_file* system() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* system_of(sqlite3_file* file) { return of(file).system(); }
const sqlite3_io_methods* methods_of(sqlite3_file* file) { return system_of(file)->pMethods; }

int code_of(int error, int code) { return error == ENOSPC ? SQLITE_FULL : code; }

/// Counts a call of SQLite's. The system's part of it goes on by itself where a signal interrupts.
int meet(FaultyDisk& disk, Call call) {
  const int error = disk.meet(call);
  return error == EINTR ? 0 : error;
}

void sync_names_beside(FaultyDisk& disk, const char* path) {
  if (const auto directory = disk.disk.find(std::filesystem::path(path).parent_path()))
    disk.disk.sync(*directory);
}

int x_close(sqlite3_file* file) {
  if (of(file).is_known) meet(*of(file).disk, Call::close);  // SQLite does not ask how it ended
  return methods_of(file)->xClose(system_of(file));
}

int x_read(sqlite3_file* file, void* into, int size, sqlite3_int64 at) {
  if (of(file).is_known && of(file).disk->is_off()) return SQLITE_IOERR_READ;
  return methods_of(file)->xRead(system_of(file), into, size, at);
}

int x_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  File& to = of(file);
  if (to.is_known) {
    if (const int error = meet(*to.disk, Call::write)) return code_of(error, SQLITE_IOERR_WRITE);
    std::string_view written(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
    // The system's part goes on after a short write, as long as there is space.
    if (to.disk->takes_last_space()) written = written.substr(0, to.disk->bytes_written(written.size()));
    to.disk->disk.write(to.inode, static_cast<std::uint64_t>(at), written);
    if (to.disk->takes_last_space()) {
      static_cast<void>(
          methods_of(file)->xWrite(system_of(file), bytes, static_cast<int>(written.size()), at));
      return SQLITE_FULL;
    }
  }
  return methods_of(file)->xWrite(system_of(file), bytes, size, at);
}

int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  File& to = of(file);
  if (to.is_known) {
    if (meet(*to.disk, Call::truncate) != 0) return SQLITE_IOERR_TRUNCATE;
    to.disk->disk.truncate(to.inode, static_cast<std::uint64_t>(size));
  }
  return methods_of(file)->xTruncate(system_of(file), size);
}

int x_sync(sqlite3_file* file, int flags) {
  File& to = of(file);
  if (!to.is_known) return methods_of(file)->xSync(system_of(file), flags);
  if (const int error = meet(*to.disk, Call::sync)) {
    if (!to.disk->is_off()) to.disk->disk.fail_sync(to.inode);
    return code_of(error, SQLITE_IOERR_FSYNC);
  }
  to.disk->disk.sync(to.inode);
  if (to.syncs_name) sync_names_beside(*to.disk, to.path);
  to.syncs_name = false;
  return SQLITE_OK;
}

// The rest is the system's.
int x_size(sqlite3_file* file, sqlite3_int64* size) {
  return methods_of(file)->xFileSize(system_of(file), size);
}
int x_lock(sqlite3_file* file, int lock) { return methods_of(file)->xLock(system_of(file), lock); }
int x_unlock(sqlite3_file* file, int lock) { return methods_of(file)->xUnlock(system_of(file), lock); }
int x_reserved(sqlite3_file* file, int* held) {
  return methods_of(file)->xCheckReservedLock(system_of(file), held);
}
int x_control(sqlite3_file* file, int what, void* argument) {
  return methods_of(file)->xFileControl(system_of(file), what, argument);
}
int x_sector(sqlite3_file* file) { return methods_of(file)->xSectorSize(system_of(file)); }
int x_device(sqlite3_file* file) { return methods_of(file)->xDeviceCharacteristics(system_of(file)); }
int x_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
  return methods_of(file)->xShmMap(system_of(file), page, size, extend, at);
}
int x_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return methods_of(file)->xShmLock(system_of(file), offset, count, flags);
}
void x_shm_barrier(sqlite3_file* file) { methods_of(file)->xShmBarrier(system_of(file)); }
int x_shm_unmap(sqlite3_file* file, int remove) {
  return methods_of(file)->xShmUnmap(system_of(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,  // without mapped reads and writes
    .xClose = x_close,
    .xRead = x_read,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = x_size,
    .xLock = x_lock,
    .xUnlock = x_unlock,
    .xCheckReservedLock = x_reserved,
    .xFileControl = x_control,
    .xSectorSize = x_sector,
    .xDeviceCharacteristics = x_device,
    .xShmMap = x_shm_map,
    .xShmLock = x_shm_lock,
    .xShmBarrier = x_shm_barrier,
    .xShmUnmap = x_shm_unmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int x_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto& ours = *static_cast<LossyVfs::Vfs*>(vfs);
  File& opened = *new (file) File{};
  opened.disk = ours.disk;
  opened.path = name;
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
  const bool is_kept = name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0;
  if (is_kept && meet(*ours.disk, creates ? Call::create : Call::open) != 0) return SQLITE_CANTOPEN;
  const int code = ours.system->xOpen(ours.system, name, opened.system(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened.base.pMethods = &kMethods;
  if (!is_kept) return SQLITE_OK;
  auto inode = ours.disk->disk.find(name);
  if (!inode && creates) {
    inode = ours.disk->disk.create(name, false);
    opened.syncs_name = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  }
  opened.is_known = inode.has_value();
  opened.inode = inode.value_or(0);
  return SQLITE_OK;
}

int x_delete(sqlite3_vfs* vfs, const char* name, int sync_names) {
  const auto& ours = *static_cast<LossyVfs::Vfs*>(vfs);
  if (meet(*ours.disk, Call::remove) != 0) return SQLITE_IOERR_DELETE;
  const int code = ours.system->xDelete(ours.system, name, 0);
  if (code != SQLITE_OK) return code;
  ours.disk->disk.remove(name);
  if (sync_names != 0) sync_names_beside(*ours.disk, name);
  return SQLITE_OK;
}

int x_access(sqlite3_vfs* vfs, const char* name, int flags, int* may) {
  auto* const system = static_cast<LossyVfs::Vfs*>(vfs)->system;
  return system->xAccess(system, name, flags, may);
}

int x_full_name(sqlite3_vfs* vfs, const char* name, int size, char* into) {
  auto* const system = static_cast<LossyVfs::Vfs*>(vfs)->system;
  return system->xFullPathname(system, name, size, into);
}

}  // namespace

LossyVfs::LossyVfs(FaultyDisk& disk) : vfs_(std::make_unique<Vfs>()) {
  sqlite3_vfs* const system = sqlite3_vfs_find("unix");
  static_cast<sqlite3_vfs&>(*vfs_) = *system;  // what has no file
  vfs_->system = system;
  vfs_->disk = &disk;
  vfs_->zName = "lossy";
  vfs_->pNext = nullptr;
  vfs_->szOsFile = static_cast<int>(sizeof(File)) + system->szOsFile;
  vfs_->xOpen = x_open;
  vfs_->xDelete = x_delete;
  vfs_->xAccess = x_access;
  vfs_->xFullPathname = x_full_name;
  sqlite3_vfs_register(vfs_.get(), 1);
}

LossyVfs::~LossyVfs() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace gauntlet
