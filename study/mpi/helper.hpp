// Every rank but rank 0: computes what it is told to, until rank 0 ends or is gone.
#pragma once

#include "study/executor.hpp"
#include "study/mpi/messages.hpp"
#include "study/mpi/ranks.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

class Helper {
 public:
  /// `orphaned`: whether what started this process has gone.
  Helper(Ranks& ranks, Hello hello, std::function<bool()> orphaned);
  /// Waits for the tasks under way.
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  /// Returns when all is over; false where rank 0 has gone without a word.
  bool run();

 private:
  // A point as it was loaded here, or why it could not be.
  struct LocalPoint {
    std::shared_ptr<const Point> point;
    std::string problem;
  };
  struct Assignment {
    Job job;
    std::shared_ptr<const StudyTerms> terms;
    LocalPoint point;
  };
  enum class Phase { working, ending, over };

  bool step();
  void handle(const Message& message);
  void handle(const Terms& terms);
  void handle(const PointText& text);
  void handle(const Job& job);
  bool send_answers();
  void compute();
  void tell(const Message& message) { ranks_.send(0, encode(message)); }

  Ranks& ranks_;
  const std::function<bool()> orphaned_;
  Phase phase_ = Phase::working;
  std::chrono::steady_clock::duration silence_{};  // of rank 0
  std::shared_ptr<const StudyTerms> terms_;
  std::vector<LocalPoint> points_;  // by number
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::deque<Assignment> assignments_;
  std::vector<std::string> answers_;  // ready to send
  bool closed_ = false;
};

}  // namespace gauntlet
