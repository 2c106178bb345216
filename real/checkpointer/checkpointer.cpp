#include "real/checkpointer/checkpointer.hpp"

#include "real/checkpointer/rank_session.hpp"
#include "real/system/peer_user.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <list>
#include <utility>

namespace gauntlet {

void run_checkpointer(const Descriptor& listener) {
  std::signal(SIGXFSZ, SIG_IGN);  // a quota that is used up is an error of the call that meets it
  std::list<RankSession> sessions;
  while (true) {
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) {
      const auto user = user_at_other_end(socket.get());
      if (user && may_command(*user, ::geteuid())) sessions.emplace_back(std::move(socket));
      continue;
    }
    if (errno == EINVAL) return;  // shut down, and everybody who had come is served
    sessions.remove_if([](const RankSession& each) { return each.is_over(); });
    pollfd waits{.fd = listener.get(), .events = POLLIN, .revents = 0};
    ::poll(&waits, 1, -1);
  }
}

}  // namespace gauntlet
