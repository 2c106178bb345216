// Rank 0: the thread that talks to the other ranks, and executors that use them.
#pragma once

#include "study/executor.hpp"
#include "study/mpi/dispatcher.hpp"
#include "study/mpi/ranks.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace gauntlet {

class Hub {
 public:
  /// `open` is called on the hub's own thread, which alone uses what it gives. Throws what `open` throws.
  Hub(std::function<std::unique_ptr<Ranks>()> open, std::string build, Notice notice);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  int ranks() const;
  /// Computes on `threads` threads of this process and as many of every other rank. The hub outlives it; one at a time.
  std::unique_ptr<Executor> make_executor(const StudyTerms& terms, unsigned threads);
  /// Sends the helpers home, and waits so long for the goodbyes of those that may be lost. Whether none was, so that MPI
  /// has ended as it should.
  bool leave(int exit_code, std::chrono::milliseconds goodbye = std::chrono::seconds(5));

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace gauntlet
