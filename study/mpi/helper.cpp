#include "study/mpi/helper.hpp"

#include "config/scenario.hpp"
#include "study/start_thread.hpp"
#include "study/tilted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace gauntlet {
namespace {

using std::chrono::steady_clock;

// Thirty of rank 0's beats: it is gone, or the way to it is.
constexpr std::chrono::seconds kSilence{60};
// A process that was suspended slept: no more than this counts for one step.
constexpr std::chrono::seconds kLongestStep{1};
// For rank 0's last word.
constexpr std::chrono::seconds kGoodbye{10};

}  // namespace

Helper::Helper(Ranks& ranks, Hello hello, std::function<bool()> orphaned)
    : ranks_(ranks), orphaned_(std::move(orphaned)) {
  tell(hello);
}

Helper::~Helper() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    assignments_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Helper::run() {
  std::chrono::microseconds rest = kShortestRest;
  auto before = steady_clock::now();
  while (phase_ != Phase::over) {
    const auto now = steady_clock::now();
    silence_ += std::min<steady_clock::duration>(now - before, kLongestStep);
    before = now;
    if (step()) {
      rest = kShortestRest;
      continue;
    }
    if (orphaned_() || silence_ > (phase_ == Phase::ending ? kGoodbye : kSilence)) {
      ranks_.leave(false, 0);
      return false;
    }
    std::this_thread::sleep_for(rest);
    rest = std::min(2 * rest, kLongestRest);
  }
  return true;
}

bool Helper::step() {
  bool busy = false;
  while (phase_ != Phase::over) {
    const auto received = ranks_.receive();
    if (!received) break;
    busy = true;
    silence_ = {};
    if (const auto message = decode(received->bytes)) handle(*message);
  }
  return send_answers() || busy;
}

void Helper::handle(const Message& message) {
  if (const auto* job = std::get_if<Job>(&message)) {
    handle(*job);
  } else if (const auto* point = std::get_if<PointText>(&message)) {
    handle(*point);
  } else if (const auto* terms = std::get_if<Terms>(&message)) {
    handle(*terms);
  } else if (std::holds_alternative<Alive>(message)) {
    tell(Alive{});
  } else if (std::holds_alternative<End>(message)) {
    phase_ = Phase::ending;
    tell(Bye{});
  } else if (const auto* leave = std::get_if<Leave>(&message)) {
    phase_ = Phase::over;
    ranks_.leave(leave->together, 0);
  }
}

void Helper::handle(const Terms& terms) {
  terms_ = std::make_shared<const StudyTerms>(terms.terms);
  points_.clear();
  while (threads_.size() < terms.threads)
    threads_.push_back(
        start_thread({.number = threads_.size() + 1, .wanted = terms.threads}, [this] { compute(); }));
}

void Helper::handle(const PointText& text) {
  if (points_.size() <= text.point) points_.resize(text.point + 1);
  LocalPoint& into = points_[text.point];
  try {
    LoadedScenario loaded = load_scenario_text(text.text, fmt::format("point {}", text.point));
    if (!loaded.scenario) {
      into.problem = loaded.problems.empty() ? "does not load" : loaded.problems.front().text();
      return;
    }
    Point point;
    point.scenario = std::move(*loaded.scenario);
    point.tilt = text.tilt;
    if (text.tilt != 1) tilt_faults(point.scenario.world, text.tilt);
    point.text = text.text;
    into.point = std::make_shared<const Point>(std::move(point));
  } catch (const std::exception& error) {
    into.problem = error.what();
  }
}

void Helper::handle(const Job& job) {
  if (job.task.point >= points_.size()) return tell(Failed{.number = job.number, .why = "an unknown point"});
  const std::lock_guard lock(mutex_);
  assignments_.push_back({.job = job, .terms = terms_, .point = points_[job.task.point]});
  work_.notify_one();
}

bool Helper::send_answers() {
  std::vector<std::string> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  if (phase_ != Phase::working) return false;
  for (std::string& answer : answers) ranks_.send(0, std::move(answer));
  return !answers.empty();
}

void Helper::compute() {
  std::shared_ptr<const StudyTerms> terms;
  std::unique_ptr<TaskRunner> runner;
  const auto answer = [&](const Assignment& what) -> Message {
    if (!what.point.point) return Failed{.number = what.job.number, .why = what.point.problem};
    if (std::exchange(terms, what.terms) != what.terms) runner = std::make_unique<TaskRunner>(*terms);
    Done done{.number = what.job.number, .figures = {}};
    runner->run(what.point.point, what.job.task, done.figures);
    return done;
  };
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closed_ || !assignments_.empty(); });
    if (closed_) return;
    const Assignment next = std::move(assignments_.front());
    assignments_.pop_front();
    lock.unlock();
    std::string bytes;
    try {
      bytes = encode(answer(next));
    } catch (const std::exception& error) {
      bytes = encode(Failed{.number = next.job.number, .why = error.what()});
    }
    lock.lock();
    answers_.push_back(std::move(bytes));
  }
}

}  // namespace gauntlet
