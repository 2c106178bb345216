#include "real/fault_disk/disk_state.hpp"

#include "real/system/clock.hpp"
#include "real/system/descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

namespace gauntlet {
namespace {

constexpr std::int64_t kNeverEnds = std::numeric_limits<std::int64_t>::max();

}  // namespace

DiskState::DiskState(const std::string& path, Open how) {
  const int flags = how == Open::make_new ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR;
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
  // New bytes are zero: no fault.
  if (!file || (how == Open::make_new && ::ftruncate(file.get(), sizeof(Shared)) != 0))
    throw std::system_error(errno, std::generic_category(), path);
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), path);
  shared_ = static_cast<Shared*>(memory);
}

DiskState::~DiskState() { ::munmap(shared_, sizeof(Shared)); }

/// No fault while its parts are written.
void DiskState::set(StorageFault fault, Duration lasts, Duration delay) {
  shared_->until_ns = 0;
  shared_->fault = static_cast<std::uint32_t>(fault);
  shared_->delay_ns = delay.count();
  const std::int64_t now = monotonic_ns();
  if (fault != StorageFault::none)
    shared_->until_ns = lasts.count() > kNeverEnds - now ? kNeverEnds : now + lasts.count();
}

StorageFault DiskState::fault() const {
  return monotonic_ns() < shared_->until_ns ? static_cast<StorageFault>(shared_->fault.load()) : StorageFault::none;
}

Duration DiskState::delay() const { return Duration(shared_->delay_ns.load()); }

void DiskState::cut_power() { ++shared_->power_cuts; }

std::uint32_t DiskState::power_cuts() const { return shared_->power_cuts; }

}  // namespace gauntlet
