#include "real/trainer/restore.hpp"

#include "real/checkpoint/staged_copy.hpp"
#include "real/rank/lines.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/peer_copies.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

class Restoring {
 public:
  Restoring(const TrainerOptions& options, const CheckpointTier& tier, Peers& peers, std::size_t state_bytes,
            const WarnOfCheckpoint& warn)
      : options_(options), tier_(tier), peers_(peers), state_bytes_(state_bytes), warn_(warn) {}

  RestoredState run() {
    if (options_.rank == 0) look();
    RestoredState restored = options_.keeps_in_memory() ? from_memory() : RestoredState{};
    if (restored.step == 0) restored = from_storage();
    say_damaged(restored.step);
    if (options_.rank == 0 && writes())
      if (const auto problem = tier_.tidy(survey_)) throw Failure(*problem);
    return restored;
  }

 private:
  bool writes() const { return options_.checkpoint_every > 0; }
  bool is_reader() const { return options_.restore == Restore::every_rank || peers_.place().dp == 0; }

  /// At rank 0: which checkpoints storage holds.
  void look() {
    survey_ = tier_.manifests();
    if (survey_.problem) throw Failure(*survey_.problem);
    if (writes()) complete_newest();
    damaged_ = survey_.damaged;
  }

  /// Of the steps that are newer than the newest whole one: the newest of which every rank's shard is there. All are of one start, because each start
  /// removes what is unfinished before its ranks write.
  void complete_newest() {
    for (const std::int64_t step : survey_.unfinished) {
      if (step <= survey_.newest()) return;
      if (tier_.first_missing(step)) continue;
      if (const auto problem = tier_.commit(step)) {
        warn_(kCheckpointFailed, "the shards of step " + std::to_string(step) +
                                     " are there, and make no checkpoint: " + problem->text());
        return;
      }
      survey_ = tier_.manifests();
      if (survey_.problem) throw Failure(*survey_.problem);
      return;
    }
  }

  // --- memory

  /// The newest checkpoint of which every rank's copy is in the memory of its host or of another one, unless storage holds a newer one. Step 0 where there
  /// is none.
  RestoredState from_memory() {
    std::vector<CopyKey> tried;  // at rank 0: the oldest first
    if (options_.rank == 0) tried = known_copies();
    std::erase_if(tried, [this](const CopyKey& key) { return key.step < newest(); });
    while (true) {
      CopyKey key = tried.empty() ? CopyKey{} : tried.back();
      key.step = peers_.told_by_rank_0(key.step);
      if (key.step == 0) return {};
      key.start = static_cast<StartNumber>(peers_.told_by_rank_0(static_cast<std::int64_t>(key.start)));
      std::optional<std::string> state = state_of(key);
      if (peers_.sum_over_all(state ? 0 : 1) == 0) return {key.step, std::move(*state)};
      if (!tried.empty()) tried.pop_back();
    }
  }

  /// Of this rank, on any host, each once and the oldest first.
  std::vector<CopyKey> known_copies() const {
    std::set<CopyKey> found;
    for (const std::string& file : files_of_copies(options_))
      if (const auto key = copy_in(file)) found.insert(*key);
    for (const TcpAddress& host : other_hosts()) {
      const std::vector<CopyKey> there = others().list(host, options_.rank);
      found.insert(there.begin(), there.end());
    }
    std::erase_if(found, [this](const CopyKey& key) { return key.step > options_.steps; });
    return {found.begin(), found.end()};
  }

  /// This rank's: of its own host, or else of another one.
  std::optional<std::string> state_of(const CopyKey& key) const {
    for (const std::string& file : files_of_copies(options_))
      if (auto state = state_in(read_copy(file, key), key)) return state;
    for (const TcpAddress& host : other_hosts())
      if (auto state = state_in(others().get(host, options_.rank, key), key)) return state;
    return std::nullopt;
  }

  /// Nothing where the bytes are not that shard of this job and rank.
  std::optional<std::string> state_in(const std::optional<std::string>& bytes, const CopyKey& key) const {
    if (!bytes) return std::nullopt;
    ReadShard read = read_shard(*bytes);
    if (!read.shard || read.shard->job != tier_.job() || read.shard->rank != options_.rank ||
        read.shard->step != key.step || read.shard->state.size() != state_bytes_)
      return std::nullopt;
    return std::move(read.shard->state);
  }

  /// Where checkpointers of other hosts listen.
  std::vector<TcpAddress> other_hosts() const {
    std::map<std::uint64_t, TcpAddress> hosts;
    if (options_.peers_every > 0)
      for (const RankPlace& each : peers_.places())
        if (each.host != options_.host && each.checkpointer.port != 0) hosts[each.host] = each.checkpointer;
    std::vector<TcpAddress> all;
    for (const auto& [host, at] : hosts) all.push_back(at);
    return all;
  }
  PeerCopies others() const { return {options_.meeting.secret, options_.collective_timeout / 2}; }

  // --- storage

  RestoredState from_storage() {
    RestoredState restored;
    while (true) {
      restored.step = peers_.told_by_rank_0(options_.rank == 0 ? newest() : 0);
      say_damaged(restored.step);
      if (restored.step == 0) break;
      if (peers_.sum_over_all(read(restored) ? 0 : 1) == 0) break;
      if (options_.rank == 0) pass_over(restored.step);
    }
    if (restored.step > 0 && options_.restore == Restore::one_reader) {
      restored.state.resize(state_bytes_);
      peers_.broadcast_over_replicas(std::as_writable_bytes(std::span(restored.state)));
    }
    return restored;
  }

  std::int64_t newest() const {
    if (survey_.newest() <= options_.steps) return survey_.newest();
    throw Failure({.file = options_.checkpoint_directory,
                   .what = "holds step " + std::to_string(survey_.newest()),
                   .why = "where training is to end at step " + std::to_string(options_.steps),
                   .suggestion = "name another checkpoint directory, or more --steps"});
  }

  /// False where it is damaged.
  bool read(RestoredState& into) {
    if (!is_reader()) return true;
    CheckpointTier::Loaded loaded = tier_.load(into.step, options_.rank);
    if (loaded.shard && loaded.shard->state.size() != state_bytes_)
      throw Failure({.file = options_.checkpoint_directory,
                     .what = "holds a model of another shape",
                     .why = {},
                     .suggestion = "name another checkpoint directory"});
    if (loaded.shard) {
      into.state = std::move(loaded.shard->state);
      return true;
    }
    if (loaded.flaw.kind == Flaw::Kind::passing) throw Failure(loaded.flaw.problem);
    damaged_.emplace_back(into.step, std::move(loaded.flaw.problem));
    return false;
  }

  void pass_over(std::int64_t step) {
    std::erase(survey_.whole, step);
    survey_.damaged.emplace_back(step, Problem{});
  }

  /// What this rank found, once it is known how training goes on.
  void say_damaged(std::int64_t next) {
    for (const auto& [step, problem] : damaged_)
      warn_(kCheckpointDamaged,
            "the checkpoint of step " + std::to_string(step) + " is damaged and is " +
                (writes() ? "set aside" : "passed over") + ", training goes on " +
                (next == 0 ? "from the beginning" : "after step " + std::to_string(next)) + ": " +
                problem.text());
    damaged_.clear();
  }

  const TrainerOptions& options_;
  const CheckpointTier& tier_;
  Peers& peers_;
  std::size_t state_bytes_;
  const WarnOfCheckpoint& warn_;
  CheckpointTier::Survey survey_;                          // at rank 0
  std::vector<std::pair<std::int64_t, Problem>> damaged_;  // found here, and not said yet
};

}  // namespace

RestoredState restore(const TrainerOptions& options, const CheckpointTier& tier, Peers& peers,
                      std::size_t state_bytes, const WarnOfCheckpoint& warn) {
  return Restoring(options, tier, peers, state_bytes, warn).run();
}

}  // namespace gauntlet
