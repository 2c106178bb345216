// The scenario that the project is about, through every room: its file, its replicas, what they say on average.
#include "study/executor.hpp"
#include "study/point.hpp"
#include "study/statistics.hpp"
#include "study/summary/summary.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(MainJob, Llama3LosesWhatItsPaperSays) {
  const LoadedPoint loaded = PointSource("scenarios/llama3-405b-54d.toml", {}, 1).point();
  ASSERT_TRUE(loaded.point) << loaded.problems.front().text();
  const auto executor = make_thread_executor({.seed = 1, .incident_replicas = 0}, 2);
  executor->add(0, loaded.point);
  std::vector<Task> tasks;
  for (std::uint32_t first = 0; first < 200; first += 10)
    tasks.push_back({.point = 0, .first = first, .count = 10});
  std::vector<Figures> replicas;
  executor->run(
      tasks,
      [&](const Task&, std::span<const Figures> figures) {
        replicas.insert(replicas.end(), figures.begin(), figures.end());
      },
      nullptr);
  ASSERT_EQ(replicas.size(), 200U);
  const Summary summary = summarize(loaded.point->facts, replicas);
  // 419 unexpected and 47 planned interruptions (https://arxiv.org/abs/2407.21783, sec. 3.3.4). The 419 are Poisson:
  // their mean over 200 replicas has a standard error of sqrt(419 / 200) = 1.45, and 6 is four of them.
  EXPECT_NEAR(summary.mean("interruptions").value(), 466, 6);
  // "higher than a 90% effective training time" (the same place) is all that was published.
  const Statistics& ettr = *summary.find("ettr");
  EXPECT_GT(ettr.mean.value(), 0.90);
  // What the simulator gives is known far better: 0.91524 +- 0.00009 (one standard error) over 2,000 replicas of seed 2, which
  // share no draw with these and have plain means. One replica scatters by 0.0041, so that the plain mean of 200 has a standard error
  // of 0.00029; the controls leave 0.00011. The difference of the two has one of 0.00014; 0.0006 is four of them. A change that moves
  // it further is one of the model, and is to be looked at: gauntlet run llama3-405b-54d --replicas 2000 --seed 2 --plain
  EXPECT_NEAR(ettr.mean.value(), 0.91524, 0.0006);
  EXPECT_NEAR(ettr.se.value(), 0.00011, 0.00002);  // else the bound above is of something else
  EXPECT_NEAR(ettr.sd.value(), 0.0041, 0.0007);
}

}  // namespace
}  // namespace gauntlet
