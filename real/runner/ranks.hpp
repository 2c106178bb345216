// The ranks of one host: processes that this one starts, listens to, ends and reaps. Whoever starts them must live on:
// the kernel kills them when the thread that started them dies.
#pragma once

#include "real/runner/host_checkpointer.hpp"
#include "real/runner/rank_channels.hpp"
#include "real/runner/rank_log.hpp"
#include "real/runner/rank_marks.hpp"
#include "real/runner/rank_runner.hpp"
#include "real/runner/start_reports.hpp"
#include "real/signals/printed_progress.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/rank_user.hpp"
#include "real/system/strays.hpp"

#include <poll.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class RankProcesses final : public RankRunner {
 public:
  struct OfHost {
    std::uint32_t number = 0;  // hosts may share a directory, and never what they have in memory
    std::string program = {};  // Gauntlet's own, for the checkpointer: a path; empty: there is none
  };
  /// `trainer` is the program of a rank where an order has no command. What rank R prints goes to
  /// `directory`/rank-R.log. Ranks run as `user`, or as this process's own.
  RankProcesses(std::string trainer, std::string directory, std::optional<RankUser> user, const OfHost& host);
  /// Kills whatever runs, and reaps what ends soon.
  ~RankProcesses() override;

  std::string start(const DriverStartRanks& start) override;
  void stop() override;
  /// SIGKILL to every rank's process group, and to the checkpointer.
  void kill() override;
  bool hold(std::uint32_t rank, bool held) override;
  void tell(const DriverTellRanks& message) override;
  /// The copies of their state: a new agent has none of what its host held in memory.
  void drop_copies();
  /// Their logs, and what they recorded.
  void forget() override;
  std::optional<std::string> started() override;
  Time deadline() const override {
    return std::min({kill_at_, ends_by_, reports_.deadline(), checkpointer_.deadline()});
  }
  std::vector<pid_t> processes_of(std::uint32_t rank) const override;
  /// Reaches everything that the rank's process has started.
  std::string signal(std::uint32_t rank, AgentSignal signal) override;
  void collect(const Listener& listener) override;

  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;

  bool none() const override { return processes_.empty() && checkpointer_.none() && !strays_left_; }
  std::uint32_t run() const override { return start_.run; }
  std::vector<std::uint32_t> alive() const override;
  std::vector<RankVitals> vitals() const override;
  std::optional<std::uint64_t> sent() const override;
  std::optional<Dimension> waits_in() const override;

 private:
  struct Process {
    std::vector<std::uint32_t> ranks;  // that it carries
    pid_t pid = -1;
    Descriptor handle;  // a pidfd: names this process even when its number is used again
    Descriptor output;  // what it prints
    RankLog log{};
    PrintedProgress lines{};
    std::string partial{};
    std::deque<std::string> last{};  // lines that are not empty, the oldest first
    std::int64_t heard_ns = 0;       // when it last printed or told something
    bool too_long = false;           // the rest of the line is not kept
    bool ordered = false;
  };

  struct Target {
    pid_t pid = -1;
    const Descriptor* handle = nullptr;
    bool leads_group = false;
  };
  const Process* living(std::uint32_t rank) const;
  std::optional<Target> target_of(std::uint32_t rank) const;
  bool is_of_job(pid_t process) const;
  bool speaks() const { return !start_.command.lines.any(); }
  std::string marks_prefix() const;
  std::string dumps_prefix() const;
  std::string nccl_prefix() const;
  std::string copies_prefix() const;
  std::string make_recorders_folder();
  RankMarks marks_of(std::uint32_t rank) const;
  void note_heard(std::uint32_t rank);
  static std::string said_at_end(const Process& process);
  std::string place_at_end(const Process& process) const;
  void say_finished(const Process& process, const Listener& listener) const;
  std::string launch_all();
  Launch launch_of(const std::vector<std::uint32_t>& ranks, const std::string& program) const;
  std::string begin(const std::vector<std::uint32_t>& ranks, Launch launch);
  void kill_ranks();
  void name_stuck(const Listener& listener);
  void listen(Process& process, const Listener& listener, std::size_t most);
  void hear(Process& process, const Listener& listener);
  void keep(Process& process, const std::string& line, const Listener& listener) const;
  void end_strays();

  std::string trainer_, directory_;
  std::optional<RankUser> user_;
  std::uint32_t host_;
  std::vector<Process> processes_;
  DriverStartRanks start_;
  StartReports reports_;
  bool failed_ = false;              // the start did: exits of its processes are no news
  Time kill_at_ = kNever;            // the end of the grace period
  Time ends_by_ = kNever;            // what was killed; else it is named
  std::vector<KeptFile> recorders_;  // of the ranks of this start, if they speak
  RankChannels channels_;
  HostCheckpointer checkpointer_;
  Strays strays_;
  bool strays_left_ = false;
};

}  // namespace gauntlet
