// The ranks of one host, as the supervisor sees them: started, listened to, ended.
#pragma once

#include "real/agent/messages.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gauntlet {

class RankRunner {
 public:
  struct Exit {
    std::uint32_t run = 0;
    std::uint32_t rank = 0;
    std::int32_t code = 0;  // exit code, or 128 + signal
    bool ordered = false;   // stop() or kill() ended it
    std::string said{};     // of a command: "it last printed: ...", and where it stood
  };
  struct Listener {
    /// A line of a rank's standard output, without its newline. True where it meant something to the listener; the
    /// others go to the rank's log.
    std::function<bool(std::uint32_t run, std::uint32_t rank, const std::string& line)> on_line;
    /// After the last line.
    std::function<void(const Exit& exit)> on_exit;
  };

  RankRunner() = default;
  virtual ~RankRunner() = default;
  RankRunner(const RankRunner&) = delete;
  RankRunner& operator=(const RankRunner&) = delete;

  /// All of them, or none and why. There must be none; `ranks` are distinct.
  virtual std::string start(const DriverStartRanks& start) = 0;
  /// Asks every rank to end, and ends it after the grace period of its command. Their exits are heard by collect().
  virtual void stop() = 0;
  /// Ends every rank at once, whatever it does.
  virtual void kill() = 0;
  /// When collect() is due without output or an exit: the end of a grace period. kNever if none runs.
  virtual Time deadline() const { return kNever; }
  /// To every rank that speaks through gauntlet_rank. One that does not read is left out.
  virtual void tell(const DriverTellRanks&) {}
  /// To the processes of a living rank; why not, or nothing.
  virtual std::string signal(std::uint32_t rank, AgentSignal signal) = 0;
  /// Hears every line that was printed and every exit, without waiting.
  virtual void collect(const Listener& listener) = 0;

  /// No rank and nothing that a rank started is left.
  virtual bool none() const = 0;
  virtual std::uint32_t run() const = 0;  // of the last start
  virtual std::vector<std::uint32_t> alive() const = 0;
};

}  // namespace gauntlet
