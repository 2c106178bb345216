// Ranks as processes: started, listened to as their agent would (real/rank/PROTOCOL.md), and ended with the test whatever happens.
#pragma once

#include "real/rank/lines.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class TrainerProcess {
 public:
  /// `environment`: NAME=value, beside that of this process. `in_child` runs between fork and exec: async-signal-safe calls alone.
  explicit TrainerProcess(const std::vector<std::string>& arguments,
                          std::vector<std::string> environment = {},
                          const std::function<void()>& in_child = {});
  /// SIGKILL, if it still lives.
  ~TrainerProcess();
  TrainerProcess(const TrainerProcess&) = delete;
  TrainerProcess& operator=(const TrainerProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Nobody listens to it any more.
  void stop_reading();

  /// Reads on to the first line that is wanted. A failure of the test, and nothing, where the output ends before it.
  std::optional<RankLine> wait_for(const std::function<bool(const RankLine&)>& wanted);
  std::optional<RankLine> wait_for(RankLine::Kind kind, std::int64_t step);
  std::optional<RankLine> wait_for_log(const std::string& pattern);

  /// To the rank, as its agent: "checkpoint", "cadence 5", "stop".
  void tell(const std::string& order) const;

  /// Reads to the end. The exit code, or 128 + signal.
  int wait_for_exit();
  const std::vector<RankLine>& lines() const { return lines_; }      // read so far
  const std::string& standard_error() const { return error_text_; }  // after its exit

 private:
  std::optional<RankLine> next_line();
  bool await_connection();

  pid_t pid_ = -1;
  std::string directory_;
  int listener_ = -1, channel_ = -1;
  int output_ = -1, error_ = -1;
  std::string unread_, error_text_;
  std::vector<RankLine> lines_;
  std::optional<int> exit_code_;
};

struct TrainerJob {
  std::filesystem::path directory;  // holds checkpoints/, made when ranks start
  std::uint32_t tp = 1, pp = 2, dp = 2;
  std::uint32_t global_batch = 12, micro_batch = 1;
  std::uint64_t seed = 1;
  std::int64_t steps = 12;
  std::int64_t checkpoint_every = 0, memory_every = 0, peers_every = 0;
  std::string restore = "one-reader";
  std::string staged{};      // GAUNTLET_STAGED_COPIES, if any
  std::string checkpointer{};  // GAUNTLET_CHECKPOINTER, if any
  std::uint32_t host = 0;      // GROUP_RANK
  std::uint64_t number = 1;  // GAUNTLET_RUN
  std::string step_time = "0s";
  std::string collective_timeout = "60s";
  std::string addresses{};  // GAUNTLET_DATA_ADDRESSES, if any
  std::string secret = "the secret that ranks of this test know";

  std::vector<std::string> arguments(std::uint32_t rank) const;
  /// Ranks meet on loopback, at a port of the directory's own.
  std::vector<std::string> environment() const;
  std::uint16_t port() const;
  std::unique_ptr<TrainerProcess> start(std::uint32_t rank, const std::function<void()>& in_child = {}) const;
  std::vector<std::unique_ptr<TrainerProcess>> start_all() const;
  std::uint32_t ranks() const { return tp * pp * dp; }
  std::filesystem::path checkpoints() const { return directory / "checkpoints"; }
};

/// By rank; a failure of the test where one does not finish.
std::vector<std::uint64_t> final_hashes(const std::vector<std::unique_ptr<TrainerProcess>>& ranks);

}  // namespace gauntlet
