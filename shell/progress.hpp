// A progress bar on standard error: how many replicas are done, how fast, how long the rest will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gauntlet {

/// How far a study is. It asks for replicas again and again: how many in all, nobody knows before its end.
struct ProgressCount {
  std::uint64_t done = 0;    // of those that were asked for last
  std::uint64_t left = 0;    // of them
  std::uint64_t in_all = 0;  // done since the program began
};

/// Draws itself at most ten times a second and removes itself at the end. Its clock counts real time and reaches no
/// result.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` more replicas; `left` of those that were asked for last.
  void add(std::uint64_t done, std::uint64_t left);

 private:
  ProgressCount count_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point began_, drawn_at_;
};

/// "[######                  ]  50/200 replicas, 812/s, 1 s left", and ", 1234 done in all" after earlier ones.
std::string progress_text(const ProgressCount& count, double seconds);

}  // namespace gauntlet
