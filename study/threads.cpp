#include "study/threads.hpp"

#include "core/contract.hpp"
#include "study/start_thread.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// How far, per thread, the fastest task may be ahead of the slowest.
constexpr std::size_t kWindowPerThread = 4;

bool is_set(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// A slot belongs to the worker that took its task until it is put, then to the consumer until it is freed; the mutex
// guards the rest.
class Window {
 public:
  Window(std::size_t tasks, std::size_t threads, const std::atomic<bool>* stop)
      : tasks_(tasks), stop_(stop), slots_(std::min(tasks, threads * kWindowPerThread)), working_(threads) {}

  /// The next task to run; nothing when there is none. Waits while the window is full.
  std::optional<std::size_t> take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || taken_ == tasks_ || taken_ < consumed_ + slots_.size(); });
    if (closed_ || taken_ == tasks_ || is_set(stop_)) return std::nullopt;
    return taken_++;
  }

  /// Leaves in `figures` what was in the slot, for its memory.
  void put(std::size_t task, std::vector<Figures>& figures) {
    Slot& slot = slots_[task % slots_.size()];
    slot.figures.swap(figures);
    const std::lock_guard lock(mutex_);
    slot.ready = true;
    if (task == consumed_) ready_.notify_one();
  }

  void leave(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    if (failure) close_locked();
    --working_;
    ready_.notify_one();
  }

  /// The figures of the next task in order; null when no more will come.
  const std::vector<Figures>* next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return working_ == 0 || head_ready(); });
    return head_ready() ? &slots_[consumed_ % slots_.size()].figures : nullptr;
  }

  void free_next() {
    const std::lock_guard lock(mutex_);
    slots_[consumed_ % slots_.size()].ready = false;
    ++consumed_;
    room_.notify_one();
    if (taken_ == tasks_ || is_set(stop_)) room_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    close_locked();
  }

  std::size_t consumed() const { return consumed_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  struct Slot {
    std::vector<Figures> figures;
    bool ready = false;
  };

  bool head_ready() const { return consumed_ < tasks_ && slots_[consumed_ % slots_.size()].ready; }
  void close_locked() {
    closed_ = true;
    room_.notify_all();
  }

  const std::size_t tasks_;
  const std::atomic<bool>* const stop_;
  std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<Slot> slots_;
  std::size_t taken_ = 0, consumed_ = 0;
  std::size_t working_;
  bool closed_ = false;
  std::exception_ptr failure_;
};

void work(Window& window, std::span<const Task> tasks, const TaskWorker& worker) {
  try {
    std::vector<Figures> figures;
    while (const auto number = window.take()) {
      worker(tasks[*number], figures);
      window.put(*number, figures);
    }
    window.leave(nullptr);
  } catch (...) {
    window.leave(std::current_exception());
  }
}

std::size_t run_on_this_thread(std::span<const Task> tasks, const TaskWorker& worker,
                               const Executor::Consume& consume, const std::atomic<bool>* stop) {
  std::vector<Figures> figures;
  std::size_t done = 0;
  for (; done < tasks.size() && !is_set(stop); ++done) {
    worker(tasks[done], figures);
    if (!hand_over(tasks[done], figures, consume)) break;
  }
  return done;
}

std::size_t run_on_threads(std::span<const Task> tasks, std::span<const TaskWorker> workers,
                           const Executor::Consume& consume, const std::atomic<bool>* stop) {
  Window window(tasks.size(), workers.size(), stop);
  struct CloseFirst {  // before the threads are joined, also when an exception passes
    Window& window;
    std::vector<std::thread> threads;
    ~CloseFirst() {
      window.close();
      for (std::thread& thread : threads) thread.join();
    }
  };
  {
    CloseFirst pool{window, {}};
    for (const TaskWorker& worker : workers)
      pool.threads.push_back(start_thread({.number = pool.threads.size() + 1, .wanted = workers.size()},
                                          [&window, tasks, &worker] { work(window, tasks, worker); }));
    while (const std::vector<Figures>* figures = window.next()) {
      if (!hand_over(tasks[window.consumed()], *figures, consume)) break;
      window.free_next();
    }
  }
  if (window.failure()) std::rethrow_exception(window.failure());
  return window.consumed();
}

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(const StudyTerms& terms, unsigned threads) {
    for (unsigned i = 0; i < threads; ++i)
      workers_.emplace_back([this, runner = std::make_shared<TaskRunner>(terms)](
                                const Task& task, std::vector<Figures>& figures) {
        runner->run(points_.at(task.point), task, figures, stop_);
      });
  }

  void add(PointNumber number, std::shared_ptr<const Point> point) override {
    expect(number == points_.size(), "points are numbered from 0 without a gap");
    points_.push_back(std::move(point));
  }

  std::size_t at_once() const override { return workers_.size(); }

  std::size_t run(std::span<const Task> tasks, const Consume& consume,
                  const std::atomic<bool>* stop) override {
    stop_ = stop;
    return run_in_order(tasks, workers_, consume, stop);
  }

 private:
  std::vector<std::shared_ptr<const Point>> points_;  // these two are not touched while tasks run
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<TaskWorker> workers_;
};

}  // namespace

std::size_t run_in_order(std::span<const Task> tasks, std::span<const TaskWorker> workers,
                         const Executor::Consume& consume, const std::atomic<bool>* stop) {
  expect(!workers.empty(), "there is a thread to run on");
  workers = workers.first(std::min(workers.size(), std::max<std::size_t>(tasks.size(), 1)));
  return workers.size() == 1 ? run_on_this_thread(tasks, workers.front(), consume, stop)
                             : run_on_threads(tasks, workers, consume, stop);
}

std::unique_ptr<Executor> make_thread_executor(const StudyTerms& terms, unsigned threads) {
  return std::make_unique<ThreadExecutor>(terms, threads);
}

}  // namespace gauntlet
