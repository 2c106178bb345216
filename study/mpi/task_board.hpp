// Which tasks of a run are waiting, given out and done.
//
// Nobody is told when a rank is lost. So whoever has nothing left to do takes up what another rank has had for long, a
// second time; the first answer counts, and as answers do not depend on who gives them, it does not matter which it was.
#pragma once

#include "study/mpi/messages.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Thread-safe. begin, next, free_next and end belong to one thread.
class TaskBoard {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Wait = std::chrono::steady_clock::duration;

  /// A task that is out for less than this is not given out again, however short tasks are.
  static constexpr Wait kShortestPatience = std::chrono::milliseconds(200);

  /// Jobs are counted from `first` on.
  explicit TaskBoard(JobNumber first = 0) : base_(first) {}

  /// A run. At most `window` tasks are given out or done beyond the first that is not consumed, so that memory does not
  /// grow with the number of tasks. Where `stop` is set, nothing more is given out.
  void begin(std::span<const Task> tasks, std::size_t window, const std::atomic<bool>* stop);

  /// A job for `rank`: the next one; where there is none, one that other ranks alone have, for long. Never one that
  /// rank 0 has: it is not lost.
  std::optional<Job> take(int rank, Moment now);
  /// The same for a thread of rank 0: waits until there is one; nothing after close().
  std::optional<Job> wait_and_take();

  /// What ends the run under way; null where nothing does.
  const std::atomic<bool>* stop() const;

  /// The answer to a job. One that came already, or is of an earlier run, is ignored. So is one of fewer replicas than were
  /// asked for, unless the run is stopped and the job was abandoned.
  void put(JobNumber number, std::vector<Figures> figures, Moment now);
  void fail(JobNumber number, std::exception_ptr why);
  /// Ends the run with this exception, and every later one.
  void fail_for_good(std::exception_ptr why);

  /// The figures of the next task in order, of its first replicas where it was abandoned; null when no more will come.
  /// Throws what made the run fail.
  const std::vector<Figures>* next();
  void free_next();
  std::size_t consumed() const { return consumed_; }
  void end();

  /// Releases those who wait, for good.
  void close();

 private:
  struct Slot {
    bool done = false;
    std::vector<Figures> figures;
    std::vector<int> ranks;  // that have it
    Moment given{};          // last
  };

  Slot& slot(std::size_t index) { return slots_[index % slots_.size()]; }
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  bool given_out(JobNumber number) const;  // and neither answered nor of another run
  std::optional<Job> take_locked(int rank, Moment now);
  std::optional<Job> take_again(int rank, Moment now);
  Job give(std::size_t index, int rank, Moment now);

  mutable std::mutex mutex_;
  std::condition_variable work_, ready_;
  std::span<const Task> tasks_;
  const std::atomic<bool>* stop_ = nullptr;
  JobNumber base_;  // of the first task of this run
  std::vector<Slot> slots_;
  std::size_t given_ = 0, consumed_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_, failure_for_good_;
  Wait typical_ = std::chrono::seconds(1);  // from giving out to answer; a moving average
};

}  // namespace gauntlet
