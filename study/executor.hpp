// Who runs replicas: threads of this process (threads.hpp), or the ranks of an MPI job (study/mpi).
//
// The result never depends on who ran what, on how many they are, or on which of them got lost.
#pragma once

#include "score/figures.hpp"
#include "study/point.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gauntlet {

using PointNumber = std::uint32_t;

/// Replicas [first, first + count) of one point: the unit that is handed out, stored in one transaction, and lost when
/// the program is killed meanwhile.
struct Task {
  PointNumber point = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  friend bool operator==(const Task&, const Task&) = default;
};

/// Few enough that little is lost in flight, many enough that handing over costs nothing beside them.
inline constexpr std::uint32_t kTaskReplicas = 16;

/// What every replica of a study has in common.
struct StudyTerms {
  std::uint64_t seed = 0;
  std::uint32_t incident_replicas =
      1;  // replicas from this number on are handed over without their incidents
  bool full_telemetry = false;
  Duration bucket{};  // above zero: with Figures::over_time, in parts of this length
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Tasks may name this point from now on. Numbers count from 0 without a gap.
  virtual void add(PointNumber number, std::shared_ptr<const Point> point) = 0;

  /// How many tasks run at the same time.
  virtual std::size_t at_once() const { return 1; }

  /// Takes one finished task: the figures of its replicas, in their order. Of a task that was abandoned, a shorter one of
  /// the replicas that were done by then.
  using Consume = std::function<void(const Task& task, std::span<const Figures> figures)>;

  /// Runs tasks; `consume` sees them one after the other in the order given, on the caller's thread. Returns how many were
  /// consumed whole: all, or the first so many where `stop` was set. Replicas under way are abandoned then; those that are
  /// done are handed over as far as there is no gap before them. The first exception of a replica or of `consume` ends the
  /// run and is thrown here.
  virtual std::size_t run(std::span<const Task> tasks, const Consume& consume,
                          const std::atomic<bool>* stop) = 0;
};

/// Gives `consume` what there is of a task. False where that is not all of it, because it was abandoned.
bool hand_over(const Task& task, std::span<const Figures> figures, const Executor::Consume& consume);

/// On `threads` threads of this process.
std::unique_ptr<Executor> make_thread_executor(const StudyTerms& terms, unsigned threads);

/// Runs tasks one by one: a thread's workspace, and that of an MPI rank's threads. Keeps the simulation of the point that
/// it ran last. Not thread-safe.
class TaskRunner {
 public:
  explicit TaskRunner(const StudyTerms& terms);
  ~TaskRunner();
  TaskRunner(TaskRunner&&) noexcept;
  /// Replaces `figures` by those of the task's replicas; of its first ones alone where `stop` was set meanwhile.
  void run(const std::shared_ptr<const Point>& point, const Task& task, std::vector<Figures>& figures,
           const std::atomic<bool>* stop = nullptr);

 private:
  struct Workspace;
  StudyTerms terms_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace gauntlet
