// A job that starts again and again at once gives up, before it fills the memory with starts.
#include "sim/job/progress_watch.hpp"
#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

TEST(StartsInVain, EndARunInWhichNothingTakesTime) {
  // A GPU whose loss is NaN from the first hour on: every start reads the checkpoint, and stops at its first step of 2 s.
  const PointSource source(
      "one-fault",
      {"job.steps=43200", "job.start.warm_up=0s", "storage.free=true", "storage.load=0s",
       "faults.crash={ component=\"host\", effect=\"none\", loss=\"nan\", remedy=\"repair\", "
       "trace=[{ at=\"1h\", component=0 }] }",
       "repair.time=1h", "policies.detect=[\"loss\"]", "people.response=0s"},
      1);
  SeededStudy study(source, 1);
  const PointNumber point = study.experiment.add(source.point().point);
  ASSERT_TRUE(study.experiment.ensure(std::vector{point}, 1));
  EXPECT_EQ(study.experiment.values(point, "gave_up", 1)[0].numerator, 1);
  const double interruptions = study.experiment.values(point, "interruptions", 1)[0].numerator;
  EXPECT_LE(interruptions, kMostStartsInVain + 1.0);
  const double wall = study.experiment.values(point, "wall_time_s", 1)[0].numerator;
  EXPECT_LT(wall, 86'400) << "long before the 30 days without progress";
}

}  // namespace
}  // namespace gauntlet
