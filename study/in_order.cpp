#include "study/in_order.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

// How far, per thread, the fastest replica may be ahead of the slowest.
constexpr std::uint32_t kWindowPerThread = 16;

bool stopped(const InOrder& work) {
  return work.stop != nullptr && work.stop->load(std::memory_order_relaxed);
}

// Numbers here count from the start of the range. A slot belongs to the worker that took its number until it is put,
// then to the consumer until it is freed; the mutex guards the rest.
class Window {
 public:
  Window(std::uint32_t count, unsigned threads, const InOrder& work)
      : count_(count), work_(work), slots_(std::min(count, threads * kWindowPerThread)), working_(threads) {}

  /// The next number to run; nothing when there is none. Waits while the window is full.
  std::optional<std::uint32_t> take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return closed_ || taken_ == count_ || taken_ < consumed_ + slots_.size(); });
    if (closed_ || taken_ == count_ || stopped(work_)) return std::nullopt;
    return taken_++;
  }

  void put(std::uint32_t number, const Figures& figures) {
    Slot& slot = slots_[number % slots_.size()];
    slot.figures = figures;  // keeps the memory of the replica that was here before
    const std::lock_guard lock(mutex_);
    slot.ready = true;
    if (number == consumed_) ready_.notify_one();
  }

  void leave(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    if (failure) close_locked();
    --working_;
    ready_.notify_one();
  }

  /// The figures of the next number in order; null when no more will come.
  const Figures* next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return working_ == 0 || head_ready(); });
    return head_ready() ? &slots_[consumed_ % slots_.size()].figures : nullptr;
  }

  void free_next() {
    const std::lock_guard lock(mutex_);
    slots_[consumed_ % slots_.size()].ready = false;
    ++consumed_;
    room_.notify_one();
    if (taken_ == count_ || stopped(work_)) room_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    close_locked();
  }

  std::uint32_t consumed() const { return consumed_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  struct Slot {
    Figures figures;
    bool ready = false;
  };

  bool head_ready() const { return consumed_ < count_ && slots_[consumed_ % slots_.size()].ready; }
  void close_locked() {
    closed_ = true;
    room_.notify_all();
  }

  const std::uint32_t count_;
  const InOrder& work_;
  std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<Slot> slots_;
  std::uint32_t taken_ = 0, consumed_ = 0;
  unsigned working_;
  bool closed_ = false;
  std::exception_ptr failure_;
};

void run_worker(Window& window, ReplicaRange range, const InOrder& work) {
  try {
    const ReplicaWorker worker = work.make_worker();
    while (const auto number = window.take()) window.put(*number, worker(range.first + *number));
    window.leave(nullptr);
  } catch (...) {
    window.leave(std::current_exception());
  }
}

std::uint32_t run_on_this_thread(ReplicaRange range, const InOrder& work) {
  const ReplicaWorker worker = work.make_worker();
  std::uint32_t done = 0;
  for (; done < range.count && !stopped(work); ++done)
    work.consume(range.first + done, worker(range.first + done));
  return done;
}

std::uint32_t run_on_threads(ReplicaRange range, unsigned threads, const InOrder& work) {
  Window window(range.count, threads, work);
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
    for (unsigned i = 0; i < threads; ++i)
      pool.threads.emplace_back(run_worker, std::ref(window), range, std::cref(work));
    while (const Figures* figures = window.next()) {
      work.consume(range.first + window.consumed(), *figures);
      window.free_next();
    }
  }
  if (window.failure()) std::rethrow_exception(window.failure());
  return window.consumed();
}

}  // namespace

std::uint32_t run_in_order(ReplicaRange range, unsigned threads, const InOrder& work) {
  expect(threads > 0, "there is a thread to run on");
  threads = std::min(threads, range.count);
  return threads <= 1 ? run_on_this_thread(range, work) : run_on_threads(range, threads, work);
}

}  // namespace gauntlet
