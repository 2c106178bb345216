// What a rank tells its agent, in lines, by real/rank/gauntlet_rank.h or gauntlet_rank.py (real/rank/PROTOCOL.md).
//
//   <ns> phase <name>               this phase of the start is complete: process_start, communicator_init, load or data_loader
//   <ns> up <step>                  the groups stand and the state is loaded: training goes on after <step>
//   <ns> step <n> <ns>              step n (from 1) is complete; it took so long, its checkpoint not counted
//   <ns> segment <n> <name> <ns>    of step n, the parts of this name took so long together
//   <ns> stall <n> <ns>             the checkpoint after step n blocked training for so long
//   <ns> saved <n>                  the checkpoint after step n is durable as a whole (rank 0 alone says so)
//   <ns> log <pattern> <text...>    a log line of a kind that watches can match
//   <ns> loss <n> <value>           the loss of step n
//   <ns> mfu <n> <value>            its model FLOPs utilisation, from 0 to 1
//   <ns> dropped <n>                so many lines were not said, because nobody read them
//   <ns> held <n>                   in step n it waits before a collective, until it is told to go on
//   <ns> finished <n> <hash>        all n steps are complete; 16 hexadecimal digits over this rank's parameters
//
// The first number is CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine.
#pragma once

#include "core/signal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

struct RankLine {
  enum class Kind : std::uint8_t {
    up,
    step,
    stall,
    saved,
    log,
    finished,
    loss,
    mfu,
    dropped,
    segment,
    phase,
    held
  };
  std::int64_t at_ns = 0;  // CLOCK_MONOTONIC
  Kind kind = Kind::up;
  std::int64_t step = 0;     // all but log and phase; dropped: how many lines
  std::int64_t took_ns = 0;  // step, segment, stall
  std::string pattern{};     // log; the name of a segment or phase
  std::string text{};        // log
  std::uint64_t hash = 0;    // finished
  double value = 0;          // loss, mfu
};

/// Without a newline. Patterns hold no spaces.
std::string to_line(const RankLine& line);
/// Nothing where the line is none of the above: a rank may print what it likes besides.
std::optional<RankLine> parse_rank_line(std::string_view line);

/// The patterns of log lines about checkpoints that do not become, or do not stay, whole. Their text is a sentence.
inline constexpr std::string_view kCheckpointDamaged = "checkpoint_damaged";
inline constexpr std::string_view kCheckpointFailed = "checkpoint_failed";
inline constexpr std::string_view kCheckpointNotRemoved = "checkpoint_not_removed";
bool is_checkpoint_warning(const RankLine& line);
/// Of the log line of an agent that cannot keep what a rank prints.
inline constexpr std::string_view kOutputLost = "output_lost";

/// How a rank ends.
inline constexpr int kExitFinished = 0;
inline constexpr int kExitFailed = 1;  // the environment: sockets, files; a message is on standard error
inline constexpr int kExitUsage = 2;
// Waited longer than the collective timeout, and logged that; ends as the NCCL watchdog ends a process.
inline constexpr int kExitCollectiveTimeout = kAbortedByWatchdog;

}  // namespace gauntlet
