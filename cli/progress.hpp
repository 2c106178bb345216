// A progress bar on standard error: how many replicas are done, how fast, how long the rest will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gauntlet {

/// Draws itself at most ten times a second and removes itself at the end. Its clock counts real time and reaches no
/// result.
class Progress {
 public:
  enum class Visible { no, yes };
  Progress(std::uint32_t total, Visible visible);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void one_more();

 private:
  std::uint32_t total_, done_ = 0;
  Visible visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point began_, drawn_at_;
};

/// "[######                  ]  50/200 replicas, 812/s, 0.2 s left"
std::string progress_text(std::uint32_t done, std::uint32_t total, double seconds);

}  // namespace gauntlet
