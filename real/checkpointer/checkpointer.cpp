#include "real/checkpointer/checkpointer.hpp"

#include "real/checkpointer/rank_session.hpp"
#include "real/system/peer_user.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <csignal>
#include <list>
#include <utility>

namespace gauntlet {

void run_checkpointer(const Descriptor& listener) {
  std::signal(SIGXFSZ, SIG_IGN);  // a quota that is used up is an error of the call that meets it
  CopyPlace place;
  std::list<RankSession> sessions;
  for (bool shut_down = false; true;) {
    while (Descriptor socket{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)}) {
      const auto user = user_at_other_end(socket.get());
      if (user && may_command(*user, ::geteuid())) sessions.emplace_back(std::move(socket), place);
    }
    if (shut_down) return;  // and everybody who had come before is served
    sessions.remove_if([](const RankSession& each) { return each.is_over(); });
    pollfd waits{.fd = listener.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
    ::poll(&waits, 1, -1);
    shut_down = (waits.revents & POLLRDHUP) != 0;
  }
}

}  // namespace gauntlet
