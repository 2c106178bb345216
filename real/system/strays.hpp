// The processes that ranks leave behind: whatever a rank started and nobody waits for becomes a child of the agent.
#pragma once

#include "real/system/descriptor.hpp"

#include <poll.h>
#include <sys/types.h>

#include <vector>

namespace gauntlet {

class Strays {
 public:
  /// From now on orphans below this process become its children: PR_SET_CHILD_SUBREAPER.
  Strays();

  /// Kills and reaps them, and says whether some are still dying. To be called while no rank is left: what it finds outside the
  /// agent's own session, in which no rank is, was started by ranks.
  bool end();
  /// Adds what to wait for while some are dying.
  void add_to(std::vector<pollfd>& polled) const;

 private:
  std::vector<Descriptor> dying_;
};

/// Every process below this one, without it.
std::vector<pid_t> descendants(pid_t process);
bool is_below(pid_t process, pid_t ancestor);
/// Handles of them. Each was opened before its process was found there once more: a number that is another process's by then has none.
std::vector<Descriptor> handles_below(pid_t process);

}  // namespace gauntlet
