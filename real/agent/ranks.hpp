// The ranks of one host: processes that this one starts, listens to, ends and reaps. Whoever starts them must live on:
// the kernel kills them when the thread that started them dies.
#pragma once

#include "real/agent/descriptor.hpp"
#include "real/agent/rank_runner.hpp"

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class RankProcesses final : public RankRunner {
 public:
  /// `trainer` is the program of a rank. What rank R prints besides lines goes to `directory`/rank-R.log.
  RankProcesses(std::string trainer, std::string directory);
  /// Kills and reaps whatever runs.
  ~RankProcesses() override;

  std::string start(std::uint32_t run, const std::vector<std::uint32_t>& ranks,
                    const std::vector<std::string>& arguments) override;
  /// SIGKILL to every rank's process group.
  void stop() override;
  std::string signal(std::uint32_t rank, AgentSignal signal) override;
  void collect(const Listener& listener) override;

  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;

  bool none() const override { return processes_.empty(); }
  std::uint32_t run() const override { return run_; }
  std::vector<std::uint32_t> alive() const override;

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
