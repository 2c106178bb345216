#include "study/mpi/hub.hpp"

#include "core/contract.hpp"
#include "study/start_thread.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using std::chrono::steady_clock;

// Tasks done and waiting for their turn, or under way, for each thread of the job.
constexpr std::size_t kWindowPerThread = 4;
// More jobs than a study can have: the numbers of two studies never meet.
constexpr int kStudyBits = 40;

}  // namespace

struct Hub::State {
  int ranks = 1;
  JobNumber studies = 0;
  std::mutex mutex;  // guards what follows
  std::shared_ptr<SharedStudy> study;
  bool changed = false, leaving = false;
  int exit_code = 0;
  std::chrono::milliseconds goodbye{};
  bool together = false;

  void set(std::shared_ptr<SharedStudy> other) {
    const std::lock_guard lock(mutex);
    study = std::move(other);
    changed = true;
  }
  // The study, where it is another than before.
  bool take_change(std::shared_ptr<SharedStudy>& into) {
    const std::lock_guard lock(mutex);
    if (!std::exchange(changed, false)) return false;
    into = study;
    return true;
  }
  bool is_leaving() {
    const std::lock_guard lock(mutex);
    return leaving;
  }
  void talk(Ranks& all, Dispatcher& dispatcher);
};

void Hub::State::talk(Ranks& all, Dispatcher& dispatcher) {
  std::chrono::microseconds rest = kShortestRest;
  const auto step = [&] {
    if (dispatcher.step(steady_clock::now())) {
      rest = kShortestRest;
    } else {
      std::this_thread::sleep_for(rest);
      rest = std::min(2 * rest, kLongestRest);
    }
  };
  std::shared_ptr<SharedStudy> other;
  while (!is_leaving()) {
    if (take_change(other)) dispatcher.set_study(std::move(other));
    step();
  }
  dispatcher.end();
  const auto until = steady_clock::now() + goodbye;
  while (!dispatcher.ended() && steady_clock::now() < until) step();
  together = dispatcher.none_is_lost();
  dispatcher.dismiss();
  all.leave(together, exit_code);
}

namespace {

class MpiExecutor final : public Executor {
 public:
  MpiExecutor(std::shared_ptr<SharedStudy> study, std::size_t all_threads, std::function<void()> forget)
      : study_(std::move(study)),
        all_threads_(all_threads),
        window_(kWindowPerThread * all_threads),
        forget_(std::move(forget)) {
    try {
      for (unsigned i = 0; i < study_->terms.threads; ++i)
        threads_.push_back(
            start_thread({.number = i + 1, .wanted = study_->terms.threads}, [this] { compute(); }));
    } catch (...) {
      end();
      throw;
    }
  }
  ~MpiExecutor() override { end(); }

  void add(PointNumber number, std::shared_ptr<const Point> point) override {
    expect(number == points_, "points are numbered from 0 without a gap");
    ++points_;
    study_->add(std::move(point));
  }

  std::size_t at_once() const override { return all_threads_; }

  std::size_t run(std::span<const Task> tasks, const Consume& consume,
                  const std::atomic<bool>* stop) override {
    struct Run {
      TaskBoard& board;
      ~Run() { board.end(); }
    };
    TaskBoard& board = study_->board;
    if (tasks.empty()) return 0;
    board.begin(tasks, window_, stop);
    const Run ends{board};
    while (const std::vector<Figures>* figures = board.next()) {
      if (!hand_over(tasks[board.consumed()], *figures, consume)) break;
      board.free_next();
    }
    return board.consumed();
  }

 private:
  void end() {
    forget_();
    study_->board.close();
    for (std::thread& thread : threads_) thread.join();
  }
  void compute() {
    TaskRunner runner(study_->terms.terms);
    while (const auto job = study_->board.wait_and_take()) {
      try {
        std::vector<Figures> figures;
        runner.run(study_->point(job->task.point), job->task, figures, study_->board.stop());
        study_->board.put(job->number, std::move(figures), steady_clock::now());
      } catch (...) {
        study_->board.fail(job->number, std::current_exception());
      }
    }
  }

  std::shared_ptr<SharedStudy> study_;
  const std::size_t all_threads_;
  const std::size_t window_;
  const std::function<void()> forget_;
  PointNumber points_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

Hub::Hub(std::function<std::unique_ptr<Ranks>()> open, std::string build, Notice notice)
    : state_(std::make_shared<State>()) {
  std::promise<int> opened;
  auto ranks = opened.get_future();
  thread_ = std::thread([state = state_, open = std::move(open), build = std::move(build),
                         notice = std::move(notice), opened = std::move(opened)]() mutable {
    std::unique_ptr<Ranks> all;
    try {
      all = open();
    } catch (...) {
      opened.set_exception(std::current_exception());
      return;
    }
    opened.set_value(all->size());
    Dispatcher dispatcher(*all, std::move(build), std::move(notice));
    state->talk(*all, dispatcher);
  });
  try {
    state_->ranks = ranks.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Hub::~Hub() {
  if (thread_.joinable()) leave(0);
}

int Hub::ranks() const { return state_->ranks; }

std::unique_ptr<Executor> Hub::make_executor(const StudyTerms& terms, unsigned threads) {
  auto study = std::make_shared<SharedStudy>(terms, threads, state_->studies++ << kStudyBits);
  state_->set(study);
  const std::size_t all_threads = threads * static_cast<std::size_t>(state_->ranks);
  return std::make_unique<MpiExecutor>(std::move(study), all_threads,
                                       [state = state_] { state->set(nullptr); });
}

bool Hub::leave(int exit_code, std::chrono::milliseconds goodbye) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->leaving = true;
    state_->exit_code = exit_code;
    state_->goodbye = goodbye;
  }
  thread_.join();
  return state_->together;
}

}  // namespace gauntlet
