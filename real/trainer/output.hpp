// What a rank tells its agent: gauntlet_rank.h, which a user's job calls too, from any thread. Outside a drill it tells nobody.
#pragma once

#include "real/rank/gauntlet_rank.h"
#include "real/rank/lines.hpp"

#include <cstdint>
#include <mutex>
#include <string>

namespace gauntlet {

/// Each of these ends the process with kExitFailed when its agent has gone: a rank must not train without a supervisor.
class RankOutput {
 public:
  /// As rank $RANK, to whom $GAUNTLET_RANK_SOCKET names. Ends the process where that is named and cannot be connected to.
  RankOutput();
  ~RankOutput();
  RankOutput(const RankOutput&) = delete;
  RankOutput& operator=(const RankOutput&) = delete;

  /// That an agent holds the other end of; -1 where nobody listens.
  int descriptor() const { return descriptor_; }

  /// A phase of the start is complete (real/rank/lines.hpp).
  void phase(const char* name);
  void up(std::int64_t step);
  /// The time, for end_step.
  std::int64_t begin_step(std::int64_t step);
  void end_step(std::int64_t step, std::int64_t began_ns);
  /// Of the present step: it began then, and waited for others for so long in between.
  void segment(const char* name, std::int64_t began_ns, std::int64_t waited_ns);
  void stall(std::int64_t step, std::int64_t began_ns);
  void saved(std::int64_t step);
  void loss(std::int64_t step, double value);
  void log(const std::string& pattern, const std::string& text);
  void finished(std::int64_t step, std::uint64_t hash);
  void sent(std::uint64_t bytes);

  /// Checkpoints are due every so many steps, until another cadence is ordered. Before the first step.
  void checkpoint_every(std::int64_t steps);
  /// Whether one is due after this step, or is ordered out of turn.
  bool checkpoint_wanted(std::int64_t step);
  bool stop_wanted();

  /// A collective that this rank is in as long as it lives.
  class Collective {
   public:
    Collective(RankOutput& output, const char* kind, const char* group);
    /// Where the wait ended with an exception, the rank never left: its recorder says so.
    ~Collective();
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;

   private:
    RankOutput& output_;
    const char *kind_, *group_;
    std::uint64_t sequence_;
    int exceptions_;
  };

 private:
  void check_agent() const;

  std::mutex mutex_;
  gauntlet_rank rank_;
  int descriptor_;
};

/// For whoever finds that the agent is gone.
[[noreturn]] void end_without_reader();

}  // namespace gauntlet
