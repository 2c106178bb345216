// A job that saves checkpoints while its storage fails, beside a reference model of what it was promised.
#pragma once

#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/stage_two.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {

inline constexpr JobIdentity kSavedJob{.seed = 7, .pp = 1, .dp = 2};
inline constexpr Retention kSavedRetention{.keep = 2, .every = 3};

/// Several sectors long.
inline Shard saved_shard(std::uint32_t rank, std::int64_t step) {
  const std::string text = "rank " + std::to_string(rank) + " step " + std::to_string(step) + "\n";
  std::string state;
  while (state.size() < 1600) state += text;
  return {.job = kSavedJob, .rank = rank, .step = step, .state = state};
}

/// Which checkpoints must be there, by what the job was told.
class SavedModel {
 public:
  void save(std::int64_t step, std::uint64_t number) { saved_[step] = number; }
  void give_up(std::int64_t step) { given_up_.insert(step); }

  std::set<std::int64_t> kept() const {
    std::set<std::int64_t> kept;
    std::uint32_t newest = 0;
    for (auto one = saved_.rbegin(); one != saved_.rend(); ++one)
      if (newest++ < kSavedRetention.keep || one->second % kSavedRetention.every == 0)
        kept.insert(one->first);
    for (const std::int64_t step : given_up_) kept.erase(step);
    return kept;
  }

  /// `left` is what is there for the next start. After a lie, one checkpoint may be lost, or be damaged.
  void check(CheckpointStorage& left, bool lied) const {
    const CheckpointTier tier(left, kSavedJob, kSavedRetention);
    const auto survey = tier.survey();
    ASSERT_FALSE(survey.problem) << survey.problem->text();
    for (const std::int64_t step : survey.whole)
      for (std::uint32_t rank = 0; rank < kSavedJob.ranks(); ++rank)
        EXPECT_EQ(tier.load(step, rank).shard, saved_shard(rank, step));
    std::vector<std::int64_t> lost;
    for (const std::int64_t step : kept())
      if (std::find(survey.whole.begin(), survey.whole.end(), step) == survey.whole.end())
        lost.push_back(step);
    EXPECT_LE(lost.size(), lied ? 1u : 0u) << "step " << lost.front() << " was saved";
    // What is removed loses its manifest first: nobody is told of a damaged checkpoint that was only old.
    for (const auto& [step, why] : survey.damaged)
      EXPECT_TRUE(lied || !saved_.contains(step) || given_up_.contains(step))
          << "step " << step << " was saved: " << why.text();
    // The next start keeps what it goes on from.
    const auto problem = tier.tidy(survey);
    EXPECT_FALSE(problem) << problem->text();
    EXPECT_EQ(tier.manifests().newest(), survey.newest());
  }

  /// Where nothing failed: those and no others.
  void check_all(CheckpointStorage& left) const {
    const auto survey = CheckpointTier(left, kSavedJob, kSavedRetention).survey();
    EXPECT_EQ(std::set(survey.whole.begin(), survey.whole.end()), kept());
    EXPECT_EQ(saved_.size(), 5u);
    EXPECT_EQ(kept(), (std::set<std::int64_t>{20, 30, 40}));
  }

 private:
  std::map<std::int64_t, std::uint64_t> saved_;  // the number of each step
  std::set<std::int64_t> given_up_;              // reported as damaged
};

/// Saves as ranks do, by copies and stage two; loses a rank over a checkpoint, starts again, and saves more.
class SavingJob {
 public:
  /// `failing` and `healthy` are one storage; `is_off` says that nobody hears what the job says any more.
  SavingJob(CheckpointStorage& failing, CheckpointStorage& healthy, std::function<bool()> is_off)
      : tier_(failing, kSavedJob, kSavedRetention),
        healthy_(healthy, kSavedJob, kSavedRetention),
        is_off_(std::move(is_off)) {}

  void run() {
    for (const std::int64_t step : {9, 10, 20}) save(step);
    note(tier_.write(saved_shard(1, 30)));
    auto survey = tier_.survey();
    note(survey.problem);
    if (survey.problem) survey = tier_.survey();  // once more, as whoever starts a job again
    for (const auto& [step, why] : survey.damaged) model.give_up(step);
    note(tier_.tidy(survey));
    for (const std::int64_t step : {30, 40}) save(step);
  }

  SavedModel model;
  int problems = 0;
  std::function<void()> after_each_promise = [] {};

 private:
  void note(const std::optional<Problem>& problem) {
    if (!problem) return;
    ++problems;
    EXPECT_FALSE(problem->why.empty()) << problem->text();
  }
  /// Rank 0 last, so that it waits for no shard: one that is not there by then does not come.
  void save(std::int64_t step) {
    const CheckpointListener listener = {.saved = [this](std::int64_t saved) { on_saved(saved); },
                                         .failed = [this](std::int64_t, const Problem& why) { note(why); },
                                         .not_removed = [this](const Problem& why) { note(why); }};
    for (std::uint32_t rank = kSavedJob.ranks(); rank-- > 0;) {
      const std::string state = saved_shard(rank, step).state;
      LockedMemory memory;
      StagedCopy copy({.memory = memory, .state_bytes = state.size()});
      copy.stage(kSavedJob, rank, step, {state});
      OwnStageTwo(tier_, {.rank = rank}, listener).write(step, copy, Tier::storage);
    }
  }
  void on_saved(std::int64_t step) {
    if (is_off_()) return;
    const auto number = healthy_.number_of(step);
    ASSERT_TRUE(number) << "step " << step;
    model.save(step, *number);
    after_each_promise();
  }

  CheckpointTier tier_, healthy_;
  std::function<bool()> is_off_;
};

}  // namespace gauntlet
