// A file descriptor with one owner.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <utility>

namespace gauntlet {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    descriptor_ = std::exchange(other.descriptor_, -1);
    return *this;
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  /// The caller closes it from now on.
  int release() { return std::exchange(descriptor_, -1); }
  void reset() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_ = -1;
};

/// Of a process: it stays right when the number is used again. Empty where there is none. By number: glibc 2.36's declaration
/// has no C linkage when it is read as C++.
inline Descriptor pidfd_of(pid_t process) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}
/// 0, or -1 with errno, as kill(2); where the process is gone that is ESRCH.
inline int signal_process(const Descriptor& process, int number) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0));
}
/// Also of a process that nobody has reaped yet, whoever its parent is.
inline bool has_ended(const Descriptor& process) {
  pollfd polled{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, 0) > 0;
}

}  // namespace gauntlet
