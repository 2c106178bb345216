// The checkpointer of this host (real/checkpointer): a process that writes what ranks have copied, and outlives them. It begins when the first rank asks for
// it, and again if it dies; after the last rank it finishes what it was asked for. So a crash of it costs its agent nothing, and the ranks a connection.
#pragma once

#include "core/time.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/rank_user.hpp"

#include <poll.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

class HostCheckpointer {
 public:
  /// `program`: Gauntlet's own, a path; empty: there is no checkpointer. It runs as `user`, or as this process's own.
  HostCheckpointer(std::string program, std::optional<RankUser> user);
  ~HostCheckpointer();

  /// Listens to the ranks of a start in `directory`. Why not, or nothing.
  std::string open(const std::string& directory);
  /// Where ranks connect; empty while nobody listens there.
  const std::string& path() const { return path_; }

  /// Starts the process if a rank has come and none runs; reaps it.
  void collect();
  /// After the last rank: nobody comes any more, and the process ends when it has finished its copies, or at the deadline. False while it runs.
  bool finish();
  /// At once.
  void kill();
  /// Whether it was killed because it did not finish in time; once.
  bool take_late() { return std::exchange(late_, false); }

  bool none() const { return !handle_; }
  pid_t process() const { return pid_; }
  Time deadline() const { return ends_by_; }
  void add_to(std::vector<pollfd>& polled) const;

 private:
  void begin();
  void close();

  std::string program_;
  std::optional<RankUser> user_;
  std::string path_;
  Descriptor listener_;
  pid_t pid_ = -1;
  Descriptor handle_;  // a pidfd, while the process runs
  int begun_ = 0;      // in this start
  Time ends_by_ = kNever;
  bool late_ = false;
};

}  // namespace gauntlet
