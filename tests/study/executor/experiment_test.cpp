// The same figures however a study came about: on how many threads, in how many calls, interrupted or not.
#include "study/experiment.hpp"

#include "study/replica.hpp"
#include "study/summary/summary_json.hpp"
#include "tests/study/points.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

StudyIdentity identity() {
  return {.command = "sweep",
          .arguments = "",
          .version = tiny_point()->facts.version,
          .seed = 3,
          .scenario = "tiny-8",
          .text = tiny_point()->text};
}

// Tells what was run.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(unsigned threads)
      : inner_(make_thread_executor({.seed = 3, .incident_replicas = 2}, threads)) {}
  void add(PointNumber number, std::shared_ptr<const Point> point) override {
    inner_->add(number, std::move(point));
  }
  std::size_t at_once() const override { return 4; }  // whatever the number of threads
  std::size_t run(std::span<const Task> tasks, const Consume& consume,
                  const std::atomic<bool>* stop) override {
    for (const Task& task : tasks) asked.push_back(task);
    return inner_->run(tasks, consume, stop);
  }
  std::vector<Task> asked;

 private:
  std::unique_ptr<Executor> inner_;
};

// A study of three points, in memory unless it is given a store.
struct Study {
  explicit Study(unsigned threads, Experiment::Options options = {}, std::unique_ptr<Store> on = nullptr)
      : executor(threads),
        store(on ? std::move(on) : Store::temporary(identity(), tiny_point()->facts.faults)),
        experiment(executor, *store, std::move(options)) {
    for (const char* spares : {"0", "1", "2"})
      points.push_back(experiment.add(tiny_point({{"spares.count", spares}})));
  }

  std::string everything() const {
    std::string text;
    for (const PointNumber point : points) {
      text += to_json(experiment.summary(point, experiment.replicas(point)));
      for (const Fraction& value : experiment.values(point, "ettr", experiment.replicas(point)))
        text += std::to_string(value.numerator) + "/" + std::to_string(value.denominator) + "\n";
    }
    return text;
  }

  CountingExecutor executor;
  std::unique_ptr<Store> store;
  Experiment experiment;
  std::vector<PointNumber> points;
};

std::string of_uninterrupted() {
  Study study(1);
  EXPECT_TRUE(study.experiment.ensure(study.points, 100));
  return study.everything();
}

TEST(Experiment, GivesTheSameOnAnyNumberOfThreads) {
  const std::string one = of_uninterrupted();
  for (const unsigned threads : {2U, 3U, 8U}) {
    Study study(threads);
    ASSERT_TRUE(study.experiment.ensure(study.points, 100));
    EXPECT_EQ(study.everything(), one) << threads << " threads";
  }
}

TEST(Experiment, AReplicaIsThatOfItsNumberAndPoint) {
  Study study(2);
  ASSERT_TRUE(study.experiment.ensure(study.points, 40));
  for (const PointNumber number : study.points) {
    const Point& point = study.experiment.point(number);
    Simulation alone(point.scenario.world, point.scenario.policies);
    std::uint32_t next = 0;
    study.experiment.visit(number, 40, [&](std::uint32_t replica, const Figures& figures) {
      EXPECT_EQ(replica, next++);
      EXPECT_EQ(figures.fingerprint, alone.run({.seed = 3, .replica = replica}).fingerprint);
    });
    EXPECT_EQ(next, 40U);
    std::uint32_t of_later = 0;
    study.store->read_incidents(number, [&](std::uint32_t replica, std::size_t, const Incident&) {
      of_later += replica >= 2 ? 1 : 0;
    });
    EXPECT_EQ(of_later, 0U) << "only the first two replicas keep their incidents";
  }
}

TEST(Experiment, RunsWhatIsMissingAndNothingElse) {
  Study study(2);
  ASSERT_TRUE(study.experiment.ensure(study.points, 30));
  study.executor.asked.clear();
  ASSERT_TRUE(study.experiment.ensure(study.points, 30));
  EXPECT_TRUE(study.executor.asked.empty());
  ASSERT_TRUE(study.experiment.ensure(study.points, 100));
  std::uint32_t run = 0;
  for (const Task& task : study.executor.asked) run += task.count;
  EXPECT_EQ(run, 3 * 70U);
  for (std::size_t i = 1; i < study.executor.asked.size(); ++i)
    EXPECT_GE(study.executor.asked[i].first, study.executor.asked[i - 1].first)
        << "points advance side by side";
  EXPECT_EQ(study.everything(), of_uninterrupted());
}

TEST(Experiment, APointAskedForTwiceIsOnePoint) {
  Study study(1);
  EXPECT_EQ(study.experiment.add(tiny_point({{"spares.count", "1"}})), study.points[1]);
  EXPECT_EQ(study.experiment.points(), 3U);
  const std::vector<Experiment::Want> wants = {{0, 5}, {2, 7}, {0, 9}, {1, 0}};
  ASSERT_TRUE(study.experiment.ensure(wants));
  EXPECT_EQ(study.experiment.replicas(0), 9U);
  EXPECT_EQ(study.experiment.replicas(1), 0U);
  EXPECT_EQ(study.experiment.replicas(2), 7U);
}

TEST(Experiment, KnowsItsMetrics) {
  Study study(1);
  EXPECT_TRUE(study.experiment.metric_exists(0, "lost_s.restarting"));
  EXPECT_FALSE(study.experiment.metric_exists(0, "beauty"));
}

TEST(Experiment, StoppedAtAnyMomentItGoesOnToTheSameEnd) {
  const std::string whole = of_uninterrupted();
  for (std::uint64_t enough : {1U, 37U, 150U}) {
    std::atomic<bool> stop = false;
    std::uint64_t done = 0;
    Study study(2, {.stop = &stop, .progress = [&](std::uint32_t more, std::uint64_t left) {
                      done += more;
                      EXPECT_EQ(left, 300 - done);
                      stop = stop || done >= enough;
                    }});
    EXPECT_FALSE(study.experiment.ensure(study.points, 100));
    std::uint64_t there = 0;
    for (const PointNumber point : study.points) there += study.experiment.replicas(point);
    EXPECT_EQ(there, done);
    EXPECT_LT(there, 300U);
    // Points that are there in full are no reason to say that something is missing.
    EXPECT_TRUE(study.experiment.ensure(study.points, study.experiment.replicas(2)));
    stop = false;
    enough = 300;
    EXPECT_TRUE(study.experiment.ensure(study.points, 100));
    EXPECT_EQ(study.everything(), whole);
  }
}

TEST(Experiment, AReplicaThatIsStoppedIsAbandonedAndTheStudyFellShort) {
  const std::atomic<bool> stop = true;
  Study study(1, {.stop = &stop});
  const Point& point = study.experiment.point(0);
  Simulation simulation(point.scenario.world, point.scenario.policies);
  Figures figures;
  EXPECT_FALSE(study.experiment.run_again(simulation, {.seed = 3, .replica = 5}, figures));
  EXPECT_TRUE(study.experiment.fell_short());
  Study other(1);
  EXPECT_TRUE(other.experiment.run_again(simulation, {.seed = 3, .replica = 5}, figures));
  EXPECT_FALSE(other.experiment.fell_short());
  Simulation fresh(point.scenario.world, point.scenario.policies);
  EXPECT_EQ(figures.fingerprint, fresh.run({.seed = 3, .replica = 5}).fingerprint)
      << "nothing of an abandoned replica stays in its workspace";
}

TEST(Experiment, GoesOnFromTheStoreOfAnEarlierRun) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "experiment.sqlite";
  std::filesystem::remove(file);
  const auto faults = tiny_point()->facts.faults;
  {
    auto created = Store::create(file, identity(), faults);
    ASSERT_TRUE(created.store) << created.problem->text();
    Study before(2, {}, std::move(created.store));
    const std::vector<Experiment::Want> wants = {{1, 40}, {2, 3}};
    ASSERT_TRUE(before.experiment.ensure(wants));
  }
  auto resumed = Store::resume(file, identity(), faults);
  ASSERT_TRUE(resumed.store) << resumed.problem->text();
  Study study(2, {}, std::move(resumed.store));
  EXPECT_EQ(study.experiment.replicas(1), 40U);
  ASSERT_TRUE(study.experiment.ensure(study.points, 100));
  EXPECT_EQ(study.executor.asked.front(), (Task{.point = 0, .first = 0, .count = 4}))
      << "257 replicas are missing: 64 tasks of 4 and one of what is left";
  EXPECT_EQ(study.everything(), of_uninterrupted());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace gauntlet
