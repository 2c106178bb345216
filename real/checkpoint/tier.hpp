// The checkpoints of one job in one storage that all of its ranks see.
//
//   gauntlet-step-12/rank-0.shard    one a rank, each by its rank
//   gauntlet-step-12/manifest        by rank 0 when every shard is durable: from then on the checkpoint is whole
//   gauntlet-damaged-12/...          was whole and no longer verifies: set aside, never read again
//
// Nothing else in the storage is touched. Whoever starts a job's ranks has ended those of its earlier starts before.
#pragma once

#include "core/problem.hpp"
#include "real/checkpoint/manifest.hpp"
#include "real/checkpoint/shard.hpp"
#include "real/checkpoint/storage.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// Which whole checkpoints are kept.
struct Retention {
  std::uint32_t keep = 2;   // the newest ones; at least 1. With 1, nothing is left if that one proves damaged
  std::uint32_t every = 0;  // and those whose number is a multiple of this; 0: no others
};

class CheckpointTier {
 public:
  /// The storage must outlive this.
  CheckpointTier(CheckpointStorage& storage, JobIdentity job, Retention retention = {});

  /// A problem where an object of so many bytes cannot be written durably here, or nothing can. Leaves nothing behind.
  std::optional<Problem> probe(std::uint32_t rank, std::size_t bytes) const;

  struct Survey {
    std::vector<std::int64_t> whole;  // steps whose every shard has its size and checksum; the newest first
    std::vector<std::int64_t> unfinished;  // without a manifest
    std::vector<std::pair<std::int64_t, Problem>> damaged;
    /// It cannot be read, or holds checkpoints of another job; nothing else is set. An object that another try may read is such a
    /// problem, not damage: the damaged are never read again.
    std::optional<Problem> problem;

    std::int64_t newest() const { return whole.empty() ? 0 : whole.front(); }
  };
  /// Reads every checkpoint as a whole.
  Survey survey() const;
  /// Reads manifests alone: shards that are whole by them may prove damaged.
  Survey manifests() const;
  /// Among the job's whole checkpoints, from 1; nothing where its manifest cannot be read.
  std::optional<std::uint64_t> number_of(std::int64_t step) const;

  /// Removes the whole ones that are not to be kept, and the unfinished; sets the damaged aside. For rank 0, before any rank of this
  /// start writes.
  std::optional<Problem> tidy(const Survey& survey) const;

  struct Loaded {
    std::optional<Shard> shard;
    Flaw flaw;  // where there is none
  };
  /// What that rank goes on with, from a whole checkpoint of the job with any number of data-parallel replicas. The state is read into
  /// `memory`.
  Loaded load(std::int64_t step, std::uint32_t rank, std::string memory = {}) const;

  std::optional<Problem> write(const Shard& shard) const;
  /// The same, by its bytes.
  std::optional<Problem> write(std::int64_t step, std::uint32_t rank, std::string_view shard) const;

  /// The first rank whose shard of this step is not there yet.
  std::optional<std::uint32_t> first_missing(std::int64_t step) const;
  using Written = std::map<std::uint32_t, Manifest::Entry>;  // by rank
  /// Verifies the shards of all ranks and makes the checkpoint whole. Those that this process `wrote` are not read again.
  std::optional<Problem> commit(std::int64_t step, const Written& wrote = {}) const;
  /// After the commit of step `newest`: removes what is before it and not to be kept.
  std::optional<Problem> prune(std::int64_t newest) const;

  const JobIdentity& job() const { return job_; }

 private:
  struct FoundManifest {
    std::optional<Manifest> manifest;
    Flaw flaw;  // where there is none
  };
  struct Steps {
    std::vector<std::int64_t> steps;  // that have a folder, the newest first
    std::optional<Problem> problem;
  };

  Steps steps() const;
  FoundManifest manifest_of(std::int64_t step) const;
  Survey look(bool at_shards) const;
  std::optional<Flaw> flaw_of(const Manifest& manifest) const;
  std::optional<Flaw> read_listed(const Manifest& manifest, std::uint32_t rank, ShardStream& into) const;
  Loaded identified(std::int64_t step, const JobIdentity& job, std::uint32_t rank, ReadShard read) const;
  bool is_permanent(const Manifest& manifest) const;
  std::optional<Problem> next_number(Manifest& manifest) const;
  std::optional<Problem> remove(const std::string& folder) const;
  std::optional<Problem> set_aside(std::int64_t step) const;

  CheckpointStorage& storage_;
  JobIdentity job_;
  Retention retention_;
};

}  // namespace gauntlet
