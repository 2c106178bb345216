// The ranks of one host: processes that this one starts, listens to, ends and reaps. Whoever starts them must live on:
// the kernel kills them when the thread that started them dies.
#pragma once

#include "real/agent/descriptor.hpp"
#include "real/agent/messages.hpp"

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class RankProcesses {
 public:
  struct Exit {
    std::uint32_t run = 0;
    std::uint32_t rank = 0;
    std::int32_t code = 0;  // exit code, or 128 + signal
    bool ordered = false;   // stop() ended it
  };
  struct Listener {
    /// A line of a rank's standard output, without its newline. True where it meant something to the listener; the
    /// others go to the rank's log.
    std::function<bool(std::uint32_t run, std::uint32_t rank, const std::string& line)> on_line;
    /// After the last line.
    std::function<void(const Exit& exit)> on_exit;
  };

  /// `trainer` is the program of a rank. What rank R prints besides lines goes to `directory`/rank-R.log.
  RankProcesses(std::string trainer, std::string directory);
  /// Kills and reaps whatever runs.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  /// All of them, or none and why. There must be none; `ranks` are distinct.
  std::string start(std::uint32_t run, const std::vector<std::uint32_t>& ranks,
                    const std::vector<std::string>& arguments);
  /// SIGKILL to every rank's process group. Their exits are heard by collect().
  void stop();
  /// To the process of a living rank; why not, or nothing.
  std::string signal(std::uint32_t rank, AgentSignal signal);

  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;
  /// Hears every line that was printed and every exit, without waiting.
  void collect(const Listener& listener);

  bool none() const { return processes_.empty(); }
  std::uint32_t run() const { return run_; }  // of the last start
  std::vector<std::uint32_t> alive() const;

 private:
  struct Process {
    std::uint32_t rank = 0;
    pid_t pid = -1;
    Descriptor handle;  // a pidfd: names this process even when its number is used again
    Descriptor output;  // its standard output
    Descriptor log;     // its standard error
    std::string partial;
    bool too_long = false;  // the rest of the line is not kept
    bool ordered = false;
  };

  std::string launch(std::uint32_t rank, const std::vector<std::string>& arguments, Descriptor& started);
  void listen(Process& process, const Listener& listener, std::size_t most);
  void hear(Process& process, const Listener& listener);
  void kill_and_reap();

  std::string trainer_, directory_;
  std::vector<Process> processes_;
  std::uint32_t run_ = 0;
};

}  // namespace gauntlet
