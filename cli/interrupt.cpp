#include "cli/interrupt.hpp"

#include <signal.h>

namespace gauntlet {
namespace {

// A handler may touch only lock-free atomics, and only those of static storage.
std::atomic<bool> stop = false;
std::atomic<int> came = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  came = signal;
  stop = true;
}

}  // namespace

std::atomic<bool>& stop_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the second one is fatal
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return stop;
}

int interrupting_signal() { return came; }

}  // namespace gauntlet
