// The ranks of one host, as the supervisor sees them: started, listened to, ended.
#pragma once

#include "core/layout.hpp"
#include "real/stream/messages.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class RankRunner {
 public:
  struct Exit {
    std::uint32_t run = 0;
    std::uint32_t rank = 0;
    std::int32_t code = 0;                  // exit code, or 128 + signal
    bool ordered = false;                   // stop() or kill() ended it
    std::string said{};                     // "it last printed: ...", or that it printed nothing
    std::string place{};                    // where its first rank stood, where it says: "inside step 3"
    std::vector<std::string> last_lines{};  // that it printed, the oldest first
  };
  struct Listener {
    /// What a rank tells its agent, or what its printed lines mean (real/rank/lines.hpp), without a newline. False where
    /// that is no such line.
    std::function<bool(std::uint32_t run, std::uint32_t rank, const std::string& line)> on_line;
    /// Each whole line that a rank prints, for people.
    std::function<void(std::uint32_t run, std::uint32_t rank, const std::string& line)> on_printed = {};
    /// After the last line.
    std::function<void(const Exit& exit)> on_exit;
    /// A process was killed and does not end; for people.
    std::function<void(const std::string& what)> on_stuck = {};
  };

  RankRunner() = default;
  virtual ~RankRunner() = default;
  RankRunner(const RankRunner&) = delete;
  RankRunner& operator=(const RankRunner&) = delete;

  /// Starts all of them. Or says why not, and ends those that it has started. There must be none; `ranks` are distinct.
  virtual std::string start(const DriverStartRanks& start) = 0;
  /// Whether the programs of the last start run, after which `start` has failed likewise: why not, empty where they do, nothing while
  /// that is not known. Does not wait.
  virtual std::optional<std::string> started() { return ""; }
  /// Asks every rank to end, and ends it after the grace period of its command. Their exits are heard by collect().
  virtual void stop() = 0;
  /// Ends every rank at once, whatever it does.
  virtual void kill() = 0;
  /// When collect() or started() is due without output or an exit: the end of a grace period. kNever if none runs.
  virtual Time deadline() const { return kNever; }
  /// To every rank that speaks through gauntlet_rank. One that does not read is left out.
  virtual void tell(const DriverTellRanks&) {}
  /// Removes the files that ranks have left. There must be none.
  virtual void forget() {}
  /// Of a living rank, with all that it has started; empty where it does not run here. The first one is not reaped before the next collect().
  virtual std::vector<pid_t> processes_of(std::uint32_t) const { return {}; }
  /// A living rank is told not to enter its next collective, or to enter it after all: then it says `held`. False where it does not speak
  /// through gauntlet_rank.
  virtual bool hold(std::uint32_t, bool /*held*/) { return false; }
  /// To the processes of a living rank; why not, or nothing.
  virtual std::string signal(std::uint32_t rank, AgentSignal signal) = 0;
  /// Hears every line that was printed and every exit, without waiting.
  virtual void collect(const Listener& listener) = 0;

  /// No rank and nothing that a rank started is left.
  virtual bool none() const = 0;
  virtual std::uint32_t run() const = 0;  // of the last start
  virtual std::vector<std::uint32_t> alive() const = 0;

  /// Of each process.
  virtual std::vector<RankVitals> vitals() const { return {}; }
  /// The sum over the ranks of what each says it sent; nothing where none says so.
  virtual std::optional<std::uint64_t> sent() const { return std::nullopt; }
  /// In which dimension of the layout its ranks wait for others. Nothing if one of them does not wait.
  virtual std::optional<Dimension> waits_in() const { return std::nullopt; }
};

}  // namespace gauntlet
