// A job that starts again and again at once gives up, before it fills the memory with starts.
#include "core/giving_up.hpp"
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

/// Whether the one replica of this scenario gives up.
bool gives_up(const std::vector<std::string>& settings) {
  const PointSource source("one-fault", settings, 1);
  SeededStudy study(source, 1);
  const PointNumber point = study.experiment.add(source.point().point);
  EXPECT_TRUE(study.experiment.ensure(std::vector{point}, 1));
  return study.experiment.values(point, "gave_up", 1)[0].numerator == 1;
}

TEST(StartsInVain, PausesAreNoStarts) {
  // 20 hours for a step, in which the eight hosts pause the job 12,800 times for 1 ms.
  EXPECT_FALSE(gives_up({"job.steps=3", "job.step_time=20h", "storage.free=true", "faults.crash.mtbf=never",
                         "faults.flap={ component=\"host\", effect=\"stall\", heals_after=\"1ms\", "
                         "remedy=\"restart\", mtbf=\"45s\" }"}));
}

TEST(StartsInVain, EvaluationsAreNoStarts) {
  // A crash after 12 hours without a checkpoint: more than 10,000 repeated steps, with an evaluation after each.
  EXPECT_FALSE(gives_up({"job.steps=43200", "job.step_time=2s", "policies.checkpoint=\"fixed\"",
                         "checkpoint.interval=12h", "job.evaluation.every=1", "job.evaluation.time=1ms",
                         "faults.crash={ component=\"host\", effect=\"crash\", remedy=\"restart\", "
                         "trace=[{ at=\"11h\", component=0 }] }"}));
}

}  // namespace
}  // namespace gauntlet
