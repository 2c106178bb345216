#include "study/mpi/task_board.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

// How often those who wait look whether a task has been out for long, or whether Ctrl-C came.
constexpr std::chrono::milliseconds kLook{100};
// After Ctrl-C: for tasks under way on a rank that may be lost.
constexpr std::chrono::seconds kAfterStop{2};
// Out for so many times the typical time is long.
constexpr int kPatience = 4;
// A task on its fifth rank has been waited for 15 times as long as one on its first; more is hardly ever needed.
constexpr std::size_t kMostDoublings = 4;

}  // namespace

void TaskBoard::begin(std::span<const Task> tasks, std::size_t window, const std::atomic<bool>* stop) {
  const std::lock_guard lock(mutex_);
  expect(window > 0, "there is room for a task");
  tasks_ = tasks;
  stop_ = stop;
  slots_.assign(std::min(window, tasks.size()), {});
  given_ = consumed_ = 0;
  failure_ = failure_for_good_;
  work_.notify_all();
}

std::optional<Job> TaskBoard::take(int rank, Moment now) {
  const std::lock_guard lock(mutex_);
  return take_locked(rank, now);
}

std::optional<Job> TaskBoard::take_locked(int rank, Moment now) {
  if (stopped() || failure_) return std::nullopt;
  if (given_ < std::min(tasks_.size(), consumed_ + slots_.size())) {
    slot(given_) = {};
    return give(given_++, rank, now);
  }
  return take_again(rank, now);
}

std::optional<Job> TaskBoard::take_again(int rank, Moment now) {
  const Wait patience = std::max(kShortestPatience, kPatience * typical_);
  for (std::size_t index = consumed_; index < given_; ++index) {
    const Slot& candidate = slot(index);
    const auto has = [&](int who) { return std::ranges::count(candidate.ranks, who) > 0; };
    if (candidate.done || has(rank) || has(0)) continue;
    const auto times = 1 << std::min(candidate.ranks.size() - 1, kMostDoublings);
    if (now - candidate.given >= times * patience) return give(index, rank, now);
  }
  return std::nullopt;
}

Job TaskBoard::give(std::size_t index, int rank, Moment now) {
  slot(index).ranks.push_back(rank);
  slot(index).given = now;
  return {.number = base_ + index, .task = tasks_[index]};
}

std::optional<Job> TaskBoard::wait_and_take() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (auto job = take_locked(0, std::chrono::steady_clock::now())) return job;
    if (consumed_ < given_) {
      work_.wait_for(lock, kLook);
    } else {
      work_.wait(lock);
    }
  }
  return std::nullopt;
}

bool TaskBoard::given_out(JobNumber number) const {
  if (number < base_ + consumed_ || number >= base_ + given_) return false;
  return !slots_[(number - base_) % slots_.size()].done;
}

const std::atomic<bool>* TaskBoard::stop() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

void TaskBoard::put(JobNumber number, std::vector<Figures> figures, Moment now) {
  const std::lock_guard lock(mutex_);
  if (!given_out(number)) return;
  const auto index = static_cast<std::size_t>(number - base_);
  const std::size_t asked = tasks_[index].count;
  if (figures.size() > asked || (figures.size() < asked && !stopped())) return;  // no answer to this job
  Slot& answered = slot(index);
  if (answered.ranks.size() == 1) typical_ += (now - answered.given - typical_) / 8;
  answered.figures = std::move(figures);
  answered.done = true;
  if (index == consumed_) ready_.notify_one();
}

void TaskBoard::fail(JobNumber number, std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (!given_out(number) || failure_) return;
  failure_ = std::move(why);
  ready_.notify_one();
}

void TaskBoard::fail_for_good(std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (!failure_for_good_) failure_for_good_ = std::move(why);
  if (!failure_) failure_ = failure_for_good_;
  ready_.notify_one();
}

const std::vector<Figures>* TaskBoard::next() {
  std::unique_lock lock(mutex_);
  std::optional<Moment> give_up;
  while (!failure_) {
    if (consumed_ < given_ && slot(consumed_).done) return &slot(consumed_).figures;
    if (consumed_ == tasks_.size()) return nullptr;
    if (stopped()) {
      const Moment now = std::chrono::steady_clock::now();
      give_up = give_up.value_or(now + kAfterStop);
      if (consumed_ == given_ || now >= *give_up) return nullptr;
    }
    ready_.wait_for(lock, kLook);
  }
  std::rethrow_exception(failure_);
}

void TaskBoard::free_next() {
  const std::lock_guard lock(mutex_);
  ++consumed_;
  work_.notify_one();
}

void TaskBoard::end() {
  const std::lock_guard lock(mutex_);
  base_ += tasks_.size();
  tasks_ = {};
  stop_ = nullptr;
  given_ = consumed_ = 0;
}

void TaskBoard::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
}

}  // namespace gauntlet
