// Checkpoints on a disk that fails and loses what was not synced.
#include "real/checkpoint/directory_storage.hpp"
#include "tests/files/lossy_run.hpp"
#include "tests/files/saving_job.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <system_error>

namespace gauntlet {
namespace {

/// A job that saves to a directory.
class CheckpointTrial {
 public:
  static constexpr const char* kName = "checkpoints";
  static std::filesystem::path begins_with() { return empty_directory(); }
  explicit CheckpointTrial(LossyPlace& place)
      : failing_(place.path(), place.files),
        healthy_(place.path()),
        job_(failing_, healthy_, [&place] { return place.disk.is_off(); }) {}

  void run() {
    job_.after_each_promise = after_each_promise;
    job_.run();
  }

  void check(const std::filesystem::path& left) const {
    DirectoryStorage storage(left);
    if (harmless) {
      EXPECT_EQ(job_.problems, 0);
      job_.model.check_all(storage);
    }
    job_.model.check(storage, lied);
  }

  bool harmless = false;  // whether the fault is one that the program gets over
  bool lied = false;      // whether a sync may have done nothing
  std::function<void()> after_each_promise = [] {};

 private:
  DirectoryStorage failing_, healthy_;
  SavingJob job_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Checkpoints, OnLossyDisks, CheckpointTrial);

TEST(LossyCheckpoints, ASyncThatLiesCostsOneCheckpointAtMost) { lie_at_every_sync<CheckpointTrial>(4); }

/// A survey of two whole checkpoints, one of whose calls fails.
struct FailingSurvey {
  FailingSurvey(int error, std::uint64_t at)
      : place({.kind = DiskFault::Kind::error, .at = at, .error = error}) {
    DirectoryStorage storage(place.path()), failing(place.path(), place.files);
    const CheckpointTier healthy(storage, kSavedJob);
    for (const std::int64_t step : {10, 20}) {
      for (std::uint32_t rank = 0; rank < kSavedJob.ranks(); ++rank)
        EXPECT_FALSE(healthy.write(saved_shard(rank, step)));
      EXPECT_FALSE(healthy.commit(step));
    }
    found = CheckpointTier(failing, kSavedJob).survey();
  }
  LossyPlace place;
  CheckpointTier::Survey found;
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
    EXPECT_GE(problems, 2 * (1 + kSavedJob.ranks())) << "each file is opened";
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
