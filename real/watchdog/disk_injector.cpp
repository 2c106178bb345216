#include "real/watchdog/disk_injector.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <sstream>
#include <system_error>

namespace gauntlet {
namespace {

/// "LASTS_NS "STATE" "DIRECTORY"".
struct DiskTarget {
  std::int64_t lasts_ns = 0;
  std::string state, directory;
};

std::optional<DiskTarget> parse_disk(const std::string& text) {
  std::istringstream in(text);
  DiskTarget target;
  if (in >> target.lasts_ns >> std::quoted(target.state) >> std::quoted(target.directory)) return target;
  return std::nullopt;
}

std::string no_disk(const std::string& text) { return "\"" + text + "\" does not name a disk"; }

std::string disk_target(const InjectionSite& site, const DriverInject& what, const InjectionSubject&,
                        std::string& why) {
  if (site.disk.empty()) why = "this host has no disk that can fail: a lab alone makes one, with FUSE";
  std::ostringstream text;
  text << what.lasts.count() << " " << std::quoted(site.disk) << " " << std::quoted(what.directory);
  return text.str();
}

/// Why not, or nothing.
std::string set_disk(const std::string& state, StorageFault fault, Duration lasts) {
  try {
    DiskState(state, DiskState::Open::existing).set(fault, lasts);
    return "";
  } catch (const std::system_error& error) {
    return error.what();
  }
}

/// The error of making a file there, which is removed again; 0 where it can be made.
int error_of_new_file(const std::string& directory) {
  const std::string path = directory + "/gauntlet-disk-probe";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  ::close(file);
  ::unlink(path.c_str());
  return 0;
}

template <StorageFault fault>
std::string inject_disk(const std::string& text) {
  const std::optional<DiskTarget> target = parse_disk(text);
  return target ? set_disk(target->state, fault, Duration(target->lasts_ns)) : no_disk(text);
}

/// By what a rank would meet.
template <StorageFault fault>
bool disk_observed(const std::string& text) {
  const std::optional<DiskTarget> target = parse_disk(text);
  return target && error_of_new_file(target->directory) == (fault == StorageFault::full ? ENOSPC : EIO);
}

std::string undo_disk(const std::string& text) {
  const std::optional<DiskTarget> target = parse_disk(text);
  if (!target) return no_disk(text);
  const bool there = ::access(target->state.c_str(), F_OK) == 0;
  return there ? set_disk(target->state, StorageFault::none, Duration::zero()) : "";
}

}  // namespace

template <StorageFault fault>
HostInjector disk_injector() {
  return {.target = disk_target,
          .inject = inject_disk<fault>,
          .observed = disk_observed<fault>,
          .undo = undo_disk};
}
template HostInjector disk_injector<StorageFault::full>();
template HostInjector disk_injector<StorageFault::failing>();

}  // namespace gauntlet
