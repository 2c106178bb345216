#include "real/checkpoint/damage.hpp"

#include "core/files/open_file.hpp"
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/names.hpp"
#include "real/checkpoint/tier.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// By the first manifest that can be read: all are of one job, or the survey refuses them.
std::optional<JobIdentity> job_of(DirectoryStorage& storage) {
  for (const std::string& folder : storage.folders().names) {
    if (!folder.starts_with(kStep)) continue;
    const CheckpointStorage::Object object = storage.read_whole(folder, kManifest);
    if (!object.bytes) continue;
    if (const std::optional<Manifest> manifest = parse_manifest(*object.bytes)) return manifest->job;
  }
  return std::nullopt;
}

/// By the survey, the newest first.
std::vector<std::int64_t> whole_in(const std::string& directory) {
  DirectoryStorage storage(directory);
  const std::optional<JobIdentity> job = job_of(storage);
  return job ? CheckpointTier(storage, *job).survey().whole : std::vector<std::int64_t>();
}

/// 0, or the error number.
int flip_bit(int file, off_t at) {
  unsigned char byte = 0;
  if (::pread(file, &byte, 1, at) != 1) return EIO;
  byte ^= 1U;
  return ::pwrite(file, &byte, 1, at) == 1 ? 0 : errno;
}

std::string failed(const std::string& path, int error) {
  return path + ": cannot be damaged: " + std::generic_category().message(error);
}

}  // namespace

std::optional<std::int64_t> newest_whole(const std::string& directory) {
  const std::vector<std::int64_t> whole = whole_in(directory);
  return whole.empty() ? std::nullopt : std::optional(whole.front());
}

bool is_whole(const std::string& directory, std::int64_t step) {
  const std::vector<std::int64_t> whole = whole_in(directory);
  return std::find(whole.begin(), whole.end(), step) != whole.end();
}

std::string damage_checkpoint(const std::string& directory, std::int64_t step, Damage how) {
  const std::string folder = directory + "/" + folder_of(step);
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW, kFile = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
  const OpenFile inside(system_files(), folder, kFolder);
  if (inside.error() != 0) return failed(folder, inside.error());
  if (how == Damage::lost_directory) {
    std::error_code error;
    fs::remove_all(folder, error);
    return error ? failed(folder, error.value()) : "";
  }
  const std::string name = how == Damage::torn_manifest ? kManifest : shard_name(0);
  const std::string path = folder + "/" + name;
  const OpenFile file(system_files(), path, kFile);
  if (file.error() != 0) return failed(path, file.error());
  struct stat found {
  }, owner{};
  if (::fstat(file.descriptor(), &found) != 0 || ::stat(directory.c_str(), &owner) != 0)
    return failed(path, errno);
  if (!S_ISREG(found.st_mode) || found.st_uid != owner.st_uid) return failed(path, EPERM);
  const off_t half = found.st_size / 2;
  const int error = how == Damage::flipped_bit                  ? flip_bit(file.descriptor(), half)
                    : ::ftruncate(file.descriptor(), half) == 0 ? 0
                                                                : errno;
  return error == 0 ? "" : failed(path, error);
}

}  // namespace gauntlet
