// A job's progress, read from the lines that its ranks print for people.
#pragma once

#include "core/time.hpp"
#include "models/world/job_command.hpp"
#include "real/rank/lines.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Of one process. It is told the time, and says what gauntlet_rank would have said.
///
/// A start is up when it says that it resumed. Where it does not, it was up one usual step time per step before its first step
/// line: at step 0 where it could have said so, else at the step before that line. Steps that lines leave out took the same
/// time each. A line about a step that was reported already is passed over: several ranks may say it.
class PrintedProgress {
 public:
  PrintedProgress();  // which finds nothing
  /// `began_ns`: when the process was started. The expressions are valid, or they find nothing.
  PrintedProgress(const ProgressLines& lines, Duration step_time, std::int64_t began_ns);
  ~PrintedProgress();
  PrintedProgress(PrintedProgress&&) noexcept;
  PrintedProgress& operator=(PrintedProgress&&) noexcept;

  std::vector<RankLine> on_line(std::string_view line, std::int64_t now_ns);
  /// At the end of a process that says it is done.
  RankLine finished(std::int64_t now_ns) const;

 private:
  struct Expressions;
  void on_step(std::int64_t step, std::int64_t now_ns, std::vector<RankLine>& out);

  std::unique_ptr<Expressions> find_;
  std::int64_t step_time_ns_ = 0;
  std::int64_t began_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t step_ = 0;
  bool up_ = false;
};

}  // namespace gauntlet
