#include "study/threads.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace gauntlet {
namespace {

using Workers = std::vector<TaskWorker>;

// Tasks of 0 to 4 replicas, so that buffers that go round do not fit.
std::vector<Task> some_tasks(std::uint32_t count) {
  std::vector<Task> tasks;
  for (std::uint32_t i = 0; i < count; ++i)
    tasks.push_back({.point = i % 3, .first = 10 * i, .count = i % 5});
  return tasks;
}

// Figures that tell which task and replica they are of.
void fill(const Task& task, std::vector<Figures>& figures) {
  figures.resize(task.count);
  for (std::uint32_t i = 0; i < task.count; ++i) {
    figures[i].steps = task.first + i;
    figures[i].faults.assign((task.first + i) % 7, task.point);
  }
}

struct Consumed {
  std::vector<Task> tasks;
  Executor::Consume consume = [this](const Task& task, std::span<const Figures> figures) {
    tasks.push_back(task);
    ASSERT_EQ(figures.size(), task.count);
    for (std::uint32_t i = 0; i < task.count; ++i) {
      EXPECT_EQ(figures[i].steps, task.first + i);
      EXPECT_EQ(figures[i].faults, std::vector<std::uint32_t>((task.first + i) % 7, task.point));
    }
  };
};

std::vector<Task> first_of(std::vector<Task> tasks, std::size_t count) {
  tasks.resize(count);
  return tasks;
}

TEST(InOrder, HandsOverEveryTaskOnceInItsOrderOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::uint32_t count : {0U, 1U, 2U, 7U, 1000U}) {
      const std::vector<Task> tasks = some_tasks(count);
      Consumed seen;
      EXPECT_EQ(run_in_order(tasks, Workers(threads, fill), seen.consume, nullptr), count);
      EXPECT_EQ(seen.tasks, tasks) << threads << " threads";
    }
}

// The first task ends only after others of its window: what is done out of order waits for its turn.
TEST(InOrder, WaitsForASlowTaskWithoutLosingTheOrder) {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t others_done = 0;
  const std::vector<Task> tasks = some_tasks(200);
  const TaskWorker worker = [&](const Task& task, std::vector<Figures>& figures) {
    std::unique_lock lock(mutex);
    if (task == tasks.front())
      changed.wait(lock, [&] { return others_done >= 5; });
    else
      ++others_done;
    changed.notify_all();
    fill(task, figures);
  };
  Consumed seen;
  EXPECT_EQ(run_in_order(tasks, Workers(2, worker), seen.consume, nullptr), 200U);
  EXPECT_EQ(seen.tasks, tasks);
}

TEST(InOrder, StopsWithAPrefix) {
  const std::vector<Task> tasks = some_tasks(100'000);
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::atomic<bool> stop = false;
    Consumed seen;
    const auto consume = [&](const Task& task, std::span<const Figures> figures) {
      seen.consume(task, figures);
      if (task == tasks[20]) stop = true;
    };
    const std::size_t done = run_in_order(tasks, Workers(threads, fill), consume, &stop);
    EXPECT_GE(done, 21U);
    EXPECT_LE(done, 21U + 4 * threads) << "those under way are completed, no further one begins";
    EXPECT_EQ(seen.tasks, first_of(tasks, done));
  }
}

// A task that is abandoned has the figures of its first replicas alone: they are handed over, and nothing after them.
TEST(InOrder, KeepsTheReplicasThatWereDoneOfATaskThatIsAbandoned) {
  std::vector<Task> tasks;
  for (std::uint32_t i = 0; i < 50; ++i) tasks.push_back({.point = 0, .first = 10 * i, .count = 10});
  for (const unsigned threads : {1U, 2U, 4U})
    for (const std::uint32_t kept : {0U, 4U}) {
      std::atomic<bool> stop = false;
      const TaskWorker worker = [&](const Task& task, std::vector<Figures>& figures) {
        fill(task, figures);
        if (task == tasks[20]) stop = true;
        if (stop && task.first >= tasks[20].first) figures.resize(kept);
      };
      Consumed seen;
      const std::size_t done = run_in_order(tasks, Workers(threads, worker), seen.consume, &stop);
      std::vector<Task> wanted = first_of(tasks, done);
      EXPECT_EQ(done, 20U);
      if (kept > 0) wanted.push_back({.point = 0, .first = 200, .count = kept});
      EXPECT_EQ(seen.tasks, wanted);
    }
}

TEST(InOrder, StoppedBeforeItBeganDoesNothing) {
  const std::atomic<bool> stop = true;
  Consumed seen;
  for (const unsigned threads : {1U, 2U})
    EXPECT_EQ(run_in_order(some_tasks(50), Workers(threads, fill), seen.consume, &stop), 0U);
  EXPECT_TRUE(seen.tasks.empty());
}

TEST(InOrder, ThrowsWhatAWorkerOrTheConsumerThrew) {
  const std::vector<Task> tasks = some_tasks(100'000);
  const TaskWorker failing = [&](const Task& task, std::vector<Figures>& figures) {
    if (task == tasks[30]) throw std::runtime_error("task 30");
    fill(task, figures);
  };
  for (const unsigned threads : {1U, 2U, 4U}) {
    Consumed seen;
    EXPECT_THROW(run_in_order(tasks, Workers(threads, failing), seen.consume, nullptr), std::runtime_error);
    EXPECT_EQ(seen.tasks, first_of(tasks, 30)) << "what is before it is not lost";

    const auto choking = [](const Task&, std::span<const Figures>) { throw std::logic_error("full"); };
    EXPECT_THROW(run_in_order(tasks, Workers(threads, fill), choking, nullptr), std::logic_error);
  }
}

}  // namespace
}  // namespace gauntlet
