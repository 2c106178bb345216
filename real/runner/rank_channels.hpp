// What ranks say beside their output, and what they are told: the agent's end of gauntlet_rank.h and gauntlet_rank.py
// (real/rank/PROTOCOL.md). Ranks come by themselves, over a Unix socket whose messages stay whole.
#pragma once

#include "real/rank/lines.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/rank_user.hpp"

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kLongestMessage =
    4096;  // of a rank, also in gauntlet_rank.h and gauntlet_rank.py

/// The rank of the first message of a connection, "hello R". Negative where it is none.
std::int64_t rank_of_hello(std::string_view message);

class RankChannels {
 public:
  /// `line`: without its newline, as real/rank/lines.hpp has it.
  using OnLine = std::function<void(std::uint32_t rank, const std::string& line)>;
  /// Whether a process is of the job: whoever reaches the socket may claim to be a rank.
  using OfJob = std::function<bool(pid_t process)>;
  struct Speaker {
    pid_t pid = -1;
    // A pidfd, opened at its first message: the number may be another's once the process has ended. Empty where the process had ended by
    // then, or is not of the job.
    Descriptor handle;
  };

  /// Listens, under a name of this process in `directory`, to processes of `user` alone; where it is not given, to those of
  /// this process's user and of root. Why not, or nothing.
  std::string open(const std::string& directory, std::vector<std::uint32_t> ranks,
                   const std::optional<RankUser>& user = std::nullopt, OfJob of_job = {});
  /// Ends all connections. Nobody comes any more.
  void close();

  /// $GAUNTLET_RANK_SOCKET; empty while it does not listen.
  const std::string& path() const { return path_; }

  /// Hears what has arrived, at most so many bytes of each rank, without waiting. Whatever is no such line is passed over.
  void collect(const OnLine& on_line);
  /// To every rank that is connected. One that does not read is left out.
  void tell(std::string_view message);
  /// To the process that speaks for that rank. False where none does, or it does not read.
  bool tell(std::uint32_t rank, std::string_view message);
  void add_to(std::vector<pollfd>& polled) const;

  /// The process that last said to be that rank, before all others one of the job. It may have ended: what it forked can hold its connection.
  /// Null where none has.
  const Speaker* speaker_of(std::uint32_t rank) const;
  /// The last step that the rank said to be complete.
  std::int64_t step_of(std::uint32_t rank) const;
  /// What the rank said of its end; empty where it has not. It counts once the process has ended well, so collect() keeps it back.
  std::string finished_line(std::uint32_t rank) const;

 private:
  struct Connection {
    Descriptor socket;
    Speaker speaker;
    std::int64_t rank = -1;  // until it has said hello
  };
  struct Said {
    std::int64_t step = 0;
    std::string finished{};
  };

  bool admits(uid_t user) const;
  void accept_all();
  bool hear(Connection& connection, std::string_view message, const OnLine& on_line);
  bool listen(Connection& connection, const OnLine& on_line);

  std::string path_;
  Descriptor listener_;
  std::vector<std::uint32_t> ranks_;
  std::optional<uid_t> user_;  // whose ranks they are
  OfJob of_job_;
  std::vector<Connection> connections_;
  std::map<std::uint32_t, Said> said_;
};

}  // namespace gauntlet
