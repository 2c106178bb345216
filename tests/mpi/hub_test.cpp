// Rank 0 and its helpers over queues: the same figures in the same order as on one thread, whoever computes and whoever
// gets lost.
#include "study/mpi/hub.hpp"

#include "study/mpi/helper.hpp"
#include "tests/mpi/local_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using namespace std::chrono_literals;

constexpr StudyTerms kTerms{.seed = 11, .incident_replicas = 3, .full_telemetry = false};

std::shared_ptr<const Point> point(const std::string& interval) {
  const PointSource source("tiny-8", {}, kTerms.seed);
  return source.point({{.path = "checkpoint.interval", .value = interval}}).point;
}

std::vector<Task> tasks_of(std::uint32_t points, std::uint32_t tasks) {
  std::vector<Task> all;
  for (std::uint32_t i = 0; i < tasks; ++i)
    for (PointNumber number = 0; number < points; ++number)
      all.push_back({.point = number, .first = 2 * i, .count = 2});
  return all;
}

// All that is consumed, in order.
struct Taken {
  std::vector<Task> tasks;
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::size_t> incidents;
  friend bool operator==(const Taken&, const Taken&) = default;
};

Executor::Consume into(Taken& taken) {
  return [&taken](const Task& task, std::span<const Figures> figures) {
    taken.tasks.push_back(task);
    for (const Figures& each : figures) {
      taken.fingerprints.push_back(each.fingerprint);
      taken.incidents.push_back(each.incidents.size());
    }
  };
}

Taken run(Executor& executor, std::span<const Task> tasks) {
  Taken taken;
  EXPECT_EQ(executor.run(tasks, into(taken), nullptr), tasks.size());
  return taken;
}

Taken on_one_thread(std::span<const Task> tasks, std::vector<std::shared_ptr<const Point>> points) {
  const auto executor = make_thread_executor(kTerms, 1);
  for (PointNumber i = 0; i < points.size(); ++i) executor->add(i, points[i]);
  return run(*executor, tasks);
}

// Helpers on threads of this process, and the hub that they help.
class Party {
 public:
  explicit Party(int ranks, std::string build_of_helpers = "same", int dies_of_its_first_job = 0)
      : post_(ranks) {
    for (int rank = 1; rank < ranks; ++rank)
      helpers_.emplace_back([this, rank, build_of_helpers, dies = rank == dies_of_its_first_job] {
        LocalRanks mine(post_, rank, [this, rank, dies](const std::string& bytes) {
          if (dies && std::holds_alternative<Job>(*decode(bytes))) post_.lose(rank);
        });
        Helper helper(mine, {.build = build_of_helpers, .host = "h" + std::to_string(rank)},
                      [this] { return over_.load(); });
        helper.run();
      });
    hub = std::make_unique<Hub>([this] { return std::make_unique<LocalRanks>(post_, 0); }, "same",
                                [](const std::string&) {});
  }
  ~Party() {
    hub.reset();
    over_ = true;
    for (std::thread& helper : helpers_) helper.join();
  }

  std::unique_ptr<Hub> hub;

 private:
  Post post_;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> helpers_;
};

TEST(Hub, GivesWhatOneThreadGivesRunAfterRun) {
  Party job(3);
  const auto short_one = point("5min"), long_one = point("1h");
  const auto executor = job.hub->make_executor(kTerms, 2);
  executor->add(0, short_one);
  const auto first = tasks_of(1, 40);
  EXPECT_EQ(run(*executor, first), on_one_thread(first, {short_one}));
  executor->add(1, long_one);
  const auto second = tasks_of(2, 30);
  EXPECT_EQ(run(*executor, second), on_one_thread(second, {short_one, long_one}));
  EXPECT_EQ(run(*executor, {}), Taken{});
}

TEST(Hub, AllLeaveTogetherWhereNoneIsLost) {
  Party job(3);
  const auto executor = job.hub->make_executor(kTerms, 1);
  executor->add(0, point("1h"));
  run(*executor, tasks_of(1, 4));
  EXPECT_TRUE(job.hub->leave(0, 30s));
}

TEST(Hub, ARankThatIsLostWithItsJobsDelaysAndNothingElse) {
  Party job(3, "same", 2);
  const auto executor = job.hub->make_executor(kTerms, 1);
  const auto the_point = point("1h");
  executor->add(0, the_point);
  const auto tasks = tasks_of(1, 200);
  EXPECT_EQ(run(*executor, tasks), on_one_thread(tasks, {the_point}));
  EXPECT_FALSE(job.hub->leave(0, 100ms));
}

TEST(Hub, AFailureOfAHelperIsThatOfTheRun) {
  Party job(2);
  const auto executor = job.hub->make_executor(kTerms, 1);
  Point strange = *point("1h");
  strange.text = "name = ";
  executor->add(0, std::make_shared<const Point>(std::move(strange)));
  Taken taken;
  EXPECT_THAT([&] { executor->run(tasks_of(1, 100'000), into(taken), nullptr); },
              ThrowsMessage<std::runtime_error>(HasSubstr("(rank 1 on h1)")));
}

TEST(Hub, AnotherProgramIsRefused) {
  Party job(2, "other");
  const auto executor = job.hub->make_executor(kTerms, 1);
  executor->add(0, point("1h"));
  Taken taken;
  EXPECT_THAT(
      [&] { executor->run(tasks_of(1, 100'000), into(taken), nullptr); },
      ThrowsMessage<std::runtime_error>(HasSubstr("rank 1 on h1 runs gauntlet other, rank 0 runs same")));
}

TEST(Hub, GoesOnAfterAStopAndAfterAFailureToConsume) {
  Party job(2);
  const auto executor = job.hub->make_executor(kTerms, 2);
  const auto the_point = point("1h");
  executor->add(0, the_point);
  const auto tasks = tasks_of(1, 100);
  std::atomic<bool> stop = false;
  Taken taken;
  const std::size_t done = executor->run(
      tasks,
      [&](const Task& task, std::span<const Figures> figures) {
        if (task.count < tasks.front().count) return;  // abandoned: here it is run again as a whole
        into(taken)(task, figures);
        if (taken.tasks.size() == 5) stop = true;
      },
      &stop);
  EXPECT_GE(done, 5u);
  EXPECT_LT(done, tasks.size());
  EXPECT_THROW(
      executor->run(
          tasks, [](const Task&, std::span<const Figures>) { throw std::logic_error("full"); }, nullptr),
      std::logic_error);
  EXPECT_EQ(executor->run(std::span(tasks).subspan(done), into(taken), nullptr), tasks.size() - done);
  EXPECT_EQ(taken, on_one_thread(tasks, {the_point}));
}

}  // namespace
}  // namespace gauntlet
