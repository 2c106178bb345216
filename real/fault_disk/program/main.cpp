// gauntlet-fault-disk DIRECTORY STATE -- PROGRAM ARGUMENT...
//
// Becomes the program, in a mount namespace in which DIRECTORY is a disk that fails when the file STATE says so (disk_state.hpp). A process beside
// it serves the disk and ends with it; the mount goes with the last process of the namespace, so that nothing is left to unmount. Needs
// root and /dev/fuse.
#include "real/fault_disk/disk_state.hpp"
#include "real/fault_disk/program/file_system.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

namespace {

constexpr const char* kServe = "--serve";
// Descriptors of the server: it closes the first once the disk is mounted; the second is a pidfd of the program.
constexpr int kReady = 3, kProgram = 4, kFree = 5;

int failed(const char* what) {
  std::perror(what);
  return 1;
}

/// The server ends with the program.
void follow_program() {
  pollfd ended{.fd = kProgram, .events = POLLIN, .revents = 0};
  while (::poll(&ended, 1, -1) <= 0) {
  }
  ::_exit(0);
}

int serve(const char* directory, const char* state) {
  std::thread(follow_program).detach();
  try {
    const gauntlet::DiskState shared(state, gauntlet::DiskState::Open::existing);
    return gauntlet::serve_fault_disk(directory, shared, [] {
      static_cast<void>(::write(kReady, "1", 1));
      ::close(kReady);
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// By another start of this program, so that its command line is not that of the program that it serves. It is nobody's child: an agent ends
/// what its ranks leave to it.
[[noreturn]] void become_server(int program, int ready, const char* directory, const char* state) {
  if (::fork() != 0) ::_exit(0);
  ::setsid();  // a signal to the program's group is not for its disk
  const std::array<int, 2> from = {::fcntl(ready, F_DUPFD, kFree), ::fcntl(program, F_DUPFD, kFree)};
  ::dup2(from[0], kReady);
  ::dup2(from[1], kProgram);
  ::syscall(SYS_close_range, static_cast<unsigned>(kProgram + 1), ~0U, 0U);
  ::execl("/proc/self/exe", "gauntlet-fault-disk", kServe, directory, state, nullptr);
  ::_exit(failed("/proc/self/exe"));
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::strcmp(arguments[1], kServe) == 0) return serve(arguments[2], arguments[3]);
  if (count < 5 || std::strcmp(arguments[3], "--") != 0) {
    std::fprintf(stderr, "usage: gauntlet-fault-disk DIRECTORY STATE -- PROGRAM ARGUMENT...\n");
    return 2;
  }
  try {
    const gauntlet::DiskState made(arguments[2], gauntlet::DiskState::Open::make_new);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  if (::unshare(CLONE_NEWNS) != 0) return failed("a mount namespace");
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed("a private mount namespace");
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return failed("a pipe");
  const int program = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  const pid_t child = ::fork();
  if (program < 0 || child < 0) return failed("a process");
  if (child == 0) become_server(program, ready[1], arguments[1], arguments[2]);
  ::waitpid(child, nullptr, 0);
  ::close(program);
  ::close(ready[1]);
  char byte = 0;
  const bool mounted = ::read(ready[0], &byte, 1) == 1;
  ::close(ready[0]);
  if (!mounted) {
    std::fprintf(stderr, "%s: the disk cannot be mounted\n", arguments[1]);
    return 1;
  }
  ::execv(arguments[4], arguments + 4);
  return failed(arguments[4]);
}
