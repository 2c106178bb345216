// What the ranks of a drill said about their progress, kept on disk, and the progress and truth logs made of it.
#pragma once

#include "core/record/progress.hpp"
#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "models/fault_plan.hpp"
#include "real/clock.hpp"
#include "real/injectors/journal.hpp"
#include "real/trainer/lines.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

class RawProgress {
 public:
  struct Entry {
    std::uint32_t run = 0;
    std::uint32_t rank = 0;
    RankLine line;
  };

  /// Appends to the file, after reading what an earlier driver wrote. Throws std::runtime_error.
  explicit RawProgress(const std::string& path);
  ~RawProgress();
  RawProgress(const RawProgress&) = delete;
  RawProgress& operator=(const RawProgress&) = delete;

  void add(std::uint32_t run, std::uint32_t rank, const RankLine& line);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  int file_ = -1;
  std::string path_;
};

/// The same logs that a simulation writes. Steps are those that rank 0 reported; a step counts as healthy up to the
/// scenario's step time. The step that a stop cut begins with the last complete one and ends with the fault's onset (an
/// onset that a completed step overtook is moved to the end of that step), or else with the order to stop. A run in which
/// not every rank came up trained nothing. The record's last observation is the end of everything: what came later, as
/// it does where the drill was interrupted, is left out.
struct DrillLogs {
  TruthLog truth;
  ProgressLog progress;
};
DrillLogs assemble_logs(const World& world, const FaultPlan& plan, const std::vector<RawProgress::Entry>& raw,
                        const std::vector<JournalEntry>& journal, const Record& record,
                        const DrillClock& clock);

}  // namespace gauntlet
