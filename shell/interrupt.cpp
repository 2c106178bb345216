#include "shell/interrupt.hpp"

#include "shell/caller.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::int64_t kSameRequestNs = 1'000'000'000;

// A handler may touch only lock-free atomics, and only those of static storage.
std::atomic<bool> stop = false;
std::atomic<int> came = 0;
std::atomic<std::int64_t> came_at = 0;  // 0: none did
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string_view message_of(int signal) {
  if (signal == SIGTERM) return "gauntlet: SIGTERM: stopping; a second one ends the program at once\n";
  if (signal == SIGHUP) return "gauntlet: SIGHUP: stopping\n";
  return "gauntlet: SIGINT (Ctrl-C): stopping; a second one ends the program at once\n";
}

// Calls nothing that is not safe in a signal handler (signal-safety(7)).
void write_to_stderr(std::string_view text) {
  constexpr std::string_view kClearLine = "\r\x1b[K";  // of the progress bar
  if (::isatty(STDERR_FILENO) != 0)
    static_cast<void>(!::write(STDERR_FILENO, kClearLine.data(), kClearLine.size()));
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));  // there is nobody else to tell
}

void on_signal(int signal) {
  const int error = errno;
  const std::int64_t now = now_ns();
  std::int64_t first = 0;  // then when it came; two threads may be here at once
  if (came_at.compare_exchange_strong(first, now)) {
    came = signal;
    stop = true;
    write_to_stderr(message_of(signal));
  } else if (signal != SIGHUP && now - first >= kSameRequestNs) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // once this handler returns
  }
  errno = error;
}

void listen_for(int signal) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction before = {};
  return ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

std::atomic<bool>& stop_on_interrupt() {
  if (Caller* const caller = gauntlet::caller()) return caller->stop();
  listen_for(SIGINT);
  listen_for(SIGTERM);
  if (!is_ignored(SIGHUP)) listen_for(SIGHUP);
  return stop;
}

int interrupting_signal() { return caller() == nullptr ? came.load() : 0; }

}  // namespace gauntlet
