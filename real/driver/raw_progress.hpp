// What the ranks of a drill said about their progress, kept on disk, and the progress and truth logs made of it.
#pragma once

#include "core/files/line_file.hpp"
#include "core/record/record.hpp"
#include "core/record/run_logs.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/injectors/journal.hpp"
#include "real/rank/lines.hpp"
#include "real/system/clock.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

class RawProgress {
 public:
  /// The data-parallel replicas of a run. One that is not listed has those of the scenario.
  using Replicas = std::map<std::uint32_t, std::uint32_t>;
  struct Entry {
    std::uint32_t run = 0;
    std::uint32_t rank = 0;
    RankLine line;
  };

  /// Appends to the file, after reading what an earlier driver wrote. Throws std::runtime_error.
  explicit RawProgress(const std::string& path, Files& files = system_files());

  /// Before anything of that run is added.
  void begin(std::uint32_t run, std::uint32_t replicas);
  void add(std::uint32_t run, std::uint32_t rank, const RankLine& line);
  const std::vector<Entry>& entries() const { return entries_; }
  const Replicas& replicas() const { return replicas_; }

 private:
  LineFile file_;
  std::vector<Entry> entries_;
  Replicas replicas_;
};

/// What ranks warned of their checkpoints, each once, in the order in which it was said.
std::vector<std::string> checkpoint_warnings(const std::vector<RawProgress::Entry>& raw);

/// What rank 0 said last of its loss and its model FLOPs utilisation, as a sentence each.
std::vector<std::string> last_values(const std::vector<RawProgress::Entry>& raw);

/// Over the final parameters of all ranks, in the last run that every one of them finished; 0 where there is none. Replicas that agree
/// count once, so that a job that ends with fewer of them has the same hash. `whole`: the job of the scenario.
std::uint64_t final_hash(const std::vector<RawProgress::Entry>& raw, const RawProgress::Replicas& replicas,
                         const Layout& whole);

/// The same logs that a simulation writes. Steps are those that rank 0 reported; a step counts as healthy up to the
/// scenario's step time. The step that a stop cut begins with the last complete one and ends with the fault's onset (an
/// onset that a completed step overtook is moved to the end of that step), or else with the order to stop. A run in which
/// not every rank came up trained nothing. The record's last observation is the end of everything: what came later, as
/// it does where the drill was interrupted, is left out. What no rank and no fault of the plan can have written is passed
/// over.
RunLogs assemble_logs(const World& world, const FaultPlan& plan, const std::vector<RawProgress::Entry>& raw,
                      const RawProgress::Replicas& replicas, const std::vector<JournalEntry>& journal,
                      const Record& record, const DrillClock& clock);

}  // namespace gauntlet
