// The standard output of a rank: whole lines, at once, from any thread.
#pragma once

#include "real/trainer/lines.hpp"

#include <mutex>
#include <string>

namespace gauntlet {

class RankOutput {
 public:
  explicit RankOutput(int descriptor) : descriptor_(descriptor) {}

  int descriptor() const { return descriptor_; }

  /// Stamps the line with the time, in the order in which lines appear. Ends the process with kExitFailed when nobody
  /// reads any more: a rank must not train without a supervisor.
  void say(RankLine line);
  void log(std::string pattern, std::string text);

 private:
  int descriptor_;
  std::mutex mutex_;
};

/// For whoever finds that the reader is gone.
[[noreturn]] void end_without_reader();

}  // namespace gauntlet
