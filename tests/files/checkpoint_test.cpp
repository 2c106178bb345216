// Checkpoints on a disk that fails and loses what was not synced.
#include "real/checkpoint/directory.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace gauntlet {
namespace {

constexpr JobIdentity kJob{.seed = 7, .pp = 1, .dp = 2};
constexpr std::size_t kNumbers = 100;  // of a shard, so that it is several sectors long

Shard shard_of(std::uint32_t rank, std::int64_t step) {
  const double value = static_cast<double>(step) + 0.125 * rank;
  return {.job = kJob,
          .rank = rank,
          .step = step,
          .parameters = std::vector<double>(kNumbers, value),
          .momentum = std::vector<double>(kNumbers, -value)};
}

/// A job that saves, loses a rank over a checkpoint, starts again, and saves more.
class Training {
 public:
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit Training(LossyPlace& place) : place_(place), directory_(place.path(), kJob, place.files) {}

  void run() {
    for (const std::int64_t step : {9, 10, 20}) save(step);
    note(directory_.write(shard_of(1, 30)));
    const auto survey = directory_.survey();
    for (const auto& [step, why] : survey.damaged) given_up_.insert(step);
    note(survey.problem);
    note(directory_.tidy(survey));
    for (const std::int64_t step : {30, 40}) save(step);
  }

  void check(const std::filesystem::path& left) const {
    const CheckpointDirectory directory(left, kJob);
    const auto survey = directory.survey();
    ASSERT_FALSE(survey.problem) << survey.problem->text();
    for (const std::int64_t step : survey.whole)
      for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
        EXPECT_EQ(directory.load(step, rank).shard, shard_of(rank, step));
    for (std::size_t i = 0; i < std::min(saved_.size(), kKeptCheckpoints); ++i) {
      const std::int64_t step = saved_[saved_.size() - 1 - i];
      const bool is_there = std::find(survey.whole.begin(), survey.whole.end(), step) != survey.whole.end();
      EXPECT_TRUE(is_there || given_up_.contains(step)) << "step " << step << " was saved";
    }
    // What is removed loses its manifest first: nobody is told of a damaged checkpoint that was only old.
    for (const auto& [step, why] : survey.damaged)
      EXPECT_TRUE(std::find(saved_.begin(), saved_.end(), step) == saved_.end() || given_up_.contains(step))
          << "step " << step << " was saved: " << why.text();
    if (harmless) {
      EXPECT_EQ(problems_, 0);
      EXPECT_EQ(saved_.back(), 40);
    }
  }

  bool harmless = false;  // whether the fault is one that the program gets over

 private:
  void note(const std::optional<Problem>& problem) {
    if (!problem) return;
    ++problems_;
    EXPECT_FALSE(problem->why.empty()) << problem->text();
  }
  void save(std::int64_t step) {
    for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
      if (const auto problem = directory_.write(shard_of(rank, step))) return note(problem);
    if (const auto problem = directory_.commit(step)) return note(problem);
    if (!place_.disk.is_off()) saved_.push_back(step);
    note(directory_.prune(step));
  }

  LossyPlace& place_;
  CheckpointDirectory directory_;
  std::vector<std::int64_t> saved_;  // reported as saved, in order
  std::set<std::int64_t> given_up_;  // reported as damaged
  int problems_ = 0;
};

TEST(LossyCheckpoints, WhatWasSavedIsThereAfterAPowerCutAtAnyCall) {
  cut_at_every_call<Training>("checkpoints");
}

TEST(LossyCheckpoints, AFailingCallLosesNothingThatWasSaved) { fail_every_call<Training>("checkpoints"); }

}  // namespace
}  // namespace gauntlet
