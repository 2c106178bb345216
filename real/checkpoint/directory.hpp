// The checkpoints of one job in a directory that all of its ranks see.
//
//   gauntlet-step-12/rank-0.shard    one a rank, each by its rank
//   gauntlet-step-12/manifest        by rank 0 when every shard is durable: from then on the checkpoint is whole
//   gauntlet-damaged-12/...          was whole and no longer verifies: set aside, never read again
//
// Nothing else in the directory is touched. Whoever starts a job's ranks has ended those of its earlier starts before.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "real/checkpoint/manifest.hpp"
#include "real/checkpoint/shard.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// How many whole checkpoints are kept: the newest may turn out damaged.
inline constexpr std::size_t kKeptCheckpoints = 2;

class CheckpointDirectory {
 public:
  CheckpointDirectory(std::string path, JobIdentity job, Files& files = system_files());

  /// A problem where a file of so many bytes cannot be written durably here, or nothing can. Leaves nothing behind.
  std::optional<Problem> probe(std::uint32_t rank, std::size_t bytes) const;

  struct Survey {
    std::vector<std::int64_t> whole;  // steps whose every shard has its size and checksum; the newest first
    std::vector<std::int64_t> unfinished;  // without a manifest
    std::vector<std::pair<std::int64_t, Problem>> damaged;
    /// It cannot be read, or holds checkpoints of another job; nothing else is set. A file that another try may read (no
    /// descriptor was left, no permission) is such a problem, not damage: the damaged are never read again.
    std::optional<Problem> problem;

    std::int64_t newest() const { return whole.empty() ? 0 : whole.front(); }
  };
  /// Reads every checkpoint as a whole.
  Survey survey() const;

  /// Keeps the newest two whole ones, sets the damaged aside, removes the unfinished and older ones with every temporary.
  /// For rank 0, before any rank of this start writes.
  std::optional<Problem> tidy(const Survey& survey) const;

  struct Loaded {
    std::optional<Shard> shard;
    Problem problem;  // where there is none
  };
  /// What that rank goes on with, from a whole checkpoint of the job with any number of data-parallel replicas.
  Loaded load(std::int64_t step, std::uint32_t rank) const;

  std::optional<Problem> write(const Shard& shard) const;

  /// The first rank whose shard of this step is not there yet.
  std::optional<std::uint32_t> first_missing(std::int64_t step) const;
  /// Verifies the shards of all ranks and makes the checkpoint whole.
  std::optional<Problem> commit(std::int64_t step) const;
  /// After the commit of step `newest`: removes all before it but the newest whole one.
  std::optional<Problem> prune(std::int64_t newest) const;

  const JobIdentity& job() const { return job_; }

 private:
  Loaded load_shard(std::int64_t step, const JobIdentity& job, std::uint32_t rank) const;
  std::string of_step(std::int64_t step) const;
  std::optional<Problem> remove(std::int64_t step) const;
  std::optional<Problem> set_aside(std::int64_t step) const;

  std::string path_;
  JobIdentity job_;
  Files& files_;
};

}  // namespace gauntlet
