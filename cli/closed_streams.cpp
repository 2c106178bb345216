// A stream that is closed when the program starts stays so: no file that is opened takes its place.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

namespace gauntlet {
namespace {

/// The null device takes the place of each stream that is closed, opened the wrong way round, so that using it fails.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::syscall(SYS_fcntl, stream, F_GETFD) < 0)  // the lowest that is free, so that it is what this opens
      ::syscall(SYS_openat, AT_FDCWD, "/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Before the constructors of shared libraries, some of which open descriptors of their own (System V ABI, "Initialization and
// Termination Functions"). Nothing but system calls works as usual then.
[[gnu::section(".preinit_array"), gnu::used]] void (*first_of_all)() = hold_closed_streams;

}  // namespace
}  // namespace gauntlet
