// What a rank is told when it is started.
#pragma once

#include "core/layout.hpp"
#include "core/problem.hpp"
#include "core/tier.hpp"
#include "core/time.hpp"
#include "real/checkpoint/tier.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The rings of collectives use the first of a host's data interfaces, and the pipeline the second; one alone carries both.
inline constexpr std::size_t kMostInterfaces = 2;

/// Where the ranks of a start meet, and how they know each other: from the environment, as the processes of a PyTorch job learn it.
struct Meeting {
  std::string address;     // MASTER_ADDR: of rank 0's host
  std::uint16_t port = 0;  // MASTER_PORT, at which rank 0 listens
  std::string secret;      // GAUNTLET_SECRET, of this start
  std::vector<std::string>
      own;  // GAUNTLET_DATA_ADDRESSES, by interface; empty: the one from which rank 0 is reached
};

/// Where the copies of stage one outlive a rank, and who writes them then: from the environment of a drill.
struct StagedPlace {
  std::string
      prefix;  // GAUNTLET_STAGED_COPIES: with the number of the rank, and of its copy, a file; empty: they die with it
  std::string checkpointer;  // GAUNTLET_CHECKPOINTER: a socket; empty: the rank writes its copies itself
  std::uint64_t start = 0;   // GAUNTLET_RUN: counts the starts of the job
};
StagedPlace read_staged_place();
/// GROUP_RANK; where it is not set, 0.
std::uint32_t read_host();

struct TrainerOptions {
  std::uint32_t rank = 0;
  std::uint32_t tp = 1, pp = 1, dp = 1;
  std::uint32_t global_batch = 4, micro_batch = 1;  // samples
  std::uint64_t seed = 0;
  std::int64_t steps = 1;
  Meeting meeting;                    // of a job of several ranks
  std::string checkpoint_directory;   // shared by the ranks of all starts of this job
  std::int64_t checkpoint_every = 0;  // steps between those to storage; 0 for never
  std::int64_t memory_every = 0;      // and between those to the memory of the own host ...
  std::int64_t peers_every = 0;       // ... and of other hosts
  std::uint32_t copies = 2;           // of those: so many hosts hold each, the own one counted
  std::uint32_t host = 0;             // of the rank, in the job (GROUP_RANK)
  bool must_save = false;             // a rank that cannot write a checkpoint ends; else it trains on
  Retention retention;
  Restore restore = Restore::one_reader;
  StagedPlace staged;
  Duration step_time{};           // of an undisturbed step: what a GPU would take
  Duration collective_timeout{};  // above zero

  Layout layout() const { return {.tp = tp, .pp = pp, .dp = dp}; }
  bool keeps_in_memory() const { return memory_every > 0 || peers_every > 0; }
  std::uint32_t micro_batches() const { return global_batch / (dp * micro_batch); }  // of a replica
};

/// The files of a rank's copies; none where they die with it. Two for checkpoints in memory: one is complete while the other is made.
std::vector<std::string> files_of_copies(const TrainerOptions& options);

inline constexpr std::uint32_t kMostRanks = 4096;

/// Reads the environment. What is wrong with it; nothing where it is whole.
std::optional<Problem> read_meeting(Meeting& out);

/// What is wrong with the options as a whole.
std::optional<Problem> check(const TrainerOptions& options);

}  // namespace gauntlet
