#include "real/agent/agent_loop.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

timespec time_left(Time until, const Clock& clock) {
  const Duration left = std::max(until - Time(Duration(clock.monotonic_ns())), Duration::zero());
  return {.tv_sec = left / std::chrono::seconds(1), .tv_nsec = (left % std::chrono::seconds(1)).count()};
}

}  // namespace

int run_supervisor(Supervisor& supervisor, RankProcesses& ranks, const MachineSensor& sensor,
                   const HostFaults& faults, SupervisorMailbox& mailbox, const Clock& clock,
                   const Descriptor& signals) {
  std::vector<pollfd> polled;
  for (;;) {
    if (const std::optional<int> exit_code = supervisor.settle()) return *exit_code;
    polled.clear();
    polled.push_back({.fd = mailbox.descriptor(), .events = POLLIN, .revents = 0});
    polled.push_back({.fd = supervisor.leaving() ? -1 : signals.get(), .events = POLLIN, .revents = 0});
    ranks.add_to(polled);
    sensor.add_to(polled);
    faults.add_to(polled);
    const Time until = supervisor.next_deadline();
    const timespec wait = until == kNever ? timespec{} : time_left(until, clock);
    const int ready = ::ppoll(polled.data(), polled.size(), until == kNever ? nullptr : &wait, nullptr);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready > 0 && polled[1].revents != 0) supervisor.end();
    if (ready == 0) {
      supervisor.wake_by_timer();
    } else {
      supervisor.wake(mailbox.take());
    }
  }
}

}  // namespace gauntlet
