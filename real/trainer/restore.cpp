#include "real/trainer/restore.hpp"

#include "real/checkpoint/staged_copy.hpp"
#include "real/rank/lines.hpp"
#include "real/trainer/failure.hpp"

#include <algorithm>
#include <optional>
#include <span>
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
    const bool copies = writes() && peers_.sum_over_all(write_copy_left_behind()) > 0;
    if (options_.rank == 0) look(copies);
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
    if (options_.rank == 0 && writes())
      if (const auto problem = tier_.tidy(survey_)) throw Failure(*problem);
    return restored;
  }

 private:
  bool writes() const { return options_.checkpoint_every > 0; }
  bool is_reader() const { return options_.restore == Restore::every_rank || peers_.place().dp == 0; }

  /// Whether this rank wrote a shard in place of its predecessor.
  std::int64_t write_copy_left_behind() {
    const StagedPlace& staged = options_.staged;
    if (staged.prefix.empty() || staged.start == 0) return 0;
    const auto bytes = left_behind(staged.prefix + std::to_string(options_.rank), staged.start - 1);
    if (!bytes) return 0;
    const ReadShard read = read_shard(*bytes);
    if (!read.shard || read.shard->job != tier_.job() || read.shard->rank != options_.rank) return 0;
    const std::int64_t step = read.shard->step;
    if (tier_.number_of(step)) return 0;  // it was whole already
    const auto problem = tier_.write(step, options_.rank, *bytes);
    if (problem)
      warn_(kCheckpointFailed,
            "there is no checkpoint of step " + std::to_string(step) + ": " + problem->text());
    return problem ? 0 : 1;
  }

  /// At rank 0: which checkpoints there are, with the one that copies made complete.
  void look(bool copies) {
    survey_ = tier_.manifests();
    if (survey_.problem) throw Failure(*survey_.problem);
    if (copies) complete_newest();
    damaged_ = survey_.damaged;
  }

  /// Of the steps that are newer than the newest whole one: the newest of which every rank's shard is there.
  void complete_newest() {
    for (const std::int64_t step : survey_.unfinished) {
      if (step <= survey_.newest()) return;
      if (tier_.first_missing(step)) continue;
      if (const auto problem = tier_.commit(step)) {
        warn_(kCheckpointFailed, "the shards of step " + std::to_string(step) +
                                     " are there, and make no checkpoint: " + problem->text());
        std::erase(survey_.unfinished, step);  // the next start may be luckier
        return;
      }
      survey_ = tier_.manifests();
      if (survey_.problem) throw Failure(*survey_.problem);
      return;
    }
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
