// Checkpoints on a disk that fails and loses what was not synced.
#include "real/checkpoint/directory.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
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
class SavingJob {
 public:
  static constexpr const char* kName = "checkpoints";
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit SavingJob(LossyPlace& place) : place_(place), directory_(place.path(), kJob, place.files) {}

  void run() {
    for (const std::int64_t step : {9, 10, 20}) save(step);
    note(directory_.write(shard_of(1, 30)));
    auto survey = directory_.survey();
    note(survey.problem);
    if (survey.problem) survey = directory_.survey();  // once more, as whoever starts a job again
    for (const auto& [step, why] : survey.damaged) given_up_.insert(step);
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

INSTANTIATE_TYPED_TEST_SUITE_P(Checkpoints, OnLossyDisks, SavingJob);

/// A survey of two whole checkpoints, one of whose calls fails.
struct FailingSurvey {
  FailingSurvey(int error, std::uint64_t at)
      : place({.kind = DiskFault::Kind::error, .at = at, .error = error}) {
    const CheckpointDirectory healthy(place.path(), kJob);
    for (const std::int64_t step : {10, 20}) {
      for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
        EXPECT_FALSE(healthy.write(shard_of(rank, step)));
      EXPECT_FALSE(healthy.commit(step));
    }
    found = CheckpointDirectory(place.path(), kJob, place.files).survey();
  }
  LossyPlace place;
  CheckpointDirectory::Survey found;
};

// What is set aside is never read again, so a checkpoint is not condemned for what may pass.
TEST(LossyCheckpoints, WhatCannotBeReadJustNowIsAProblemAndNotDamage) {
  for (const int error : {EMFILE, ENFILE, EACCES, EPERM, ENOMEM, ESTALE}) {
    const std::string why = std::generic_category().message(error);
    std::uint64_t problems = 0;
    bool reached = true;
    for (std::uint64_t at = 1; reached; ++at) {
      SCOPED_TRACE(why + " at call " + std::to_string(at));
      const FailingSurvey survey(error, at);
      reached = survey.place.disk.calls() >= at;
      EXPECT_TRUE(survey.found.damaged.empty());
      EXPECT_TRUE(survey.found.unfinished.empty());
      EXPECT_EQ(survey.found.whole.size(), survey.found.problem ? 0u : 2u);
      if (!survey.found.problem) continue;  // a file was closed
      ++problems;
      EXPECT_NE(survey.found.problem->text().find(why), std::string::npos) << survey.found.problem->text();
    }
    EXPECT_GE(problems, 2 * (1 + kJob.ranks())) << "each file is opened";
  }
}

TEST(LossyCheckpoints, WhatTheDiskCannotReadIsDamaged) {
  const FailingSurvey survey(EIO, 1);
  EXPECT_FALSE(survey.found.problem);
  ASSERT_EQ(survey.found.damaged.size(), 1u);
  EXPECT_EQ(survey.found.damaged[0].first, 20);
  EXPECT_EQ(survey.found.newest(), 10);
}

}  // namespace
}  // namespace gauntlet
