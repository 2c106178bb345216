// Where a drill keeps what it needs beside its recording: a directory of its own, and a locked file that says where.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "models/world/fault_plan.hpp"
#include "real/system/rank_user.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

/// Of a fault plan, to tell it from others: the recording holds the scenario and the seed, and not what was left out.
struct PlanMark {
  std::uint64_t faults = 0;
  std::uint64_t fingerprint = 0;
  friend bool operator==(const PlanMark&, const PlanMark&) = default;
};
PlanMark mark_of(const FaultPlan& plan);

/// What a driver that takes over needs beside the record.
struct DrillState {
  std::int64_t started_ns = 0;
  std::uint64_t epoch = 0;
  PlanMark plan;
  std::string directory;
};

/// The state beside the recording, locked for as long as this driver lives: two drivers would both append to the record.
/// The lock goes with the process, however it ends: it is flock(2) on the open file, and not part of the file layer. Every
/// function throws std::runtime_error where the system refuses.
class StateFile {
 public:
  explicit StateFile(const std::string& record, Files& files = system_files());
  /// Leaves no file where nothing was begun.
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  /// Whether an earlier driver left its state.
  bool holds_state() const;
  /// Replaces the state, which survives a power cut from then on. Until then, and where this throws, the state is the one
  /// before or this one, whole.
  void write(const DrillState& state);
  /// Of an earlier driver; refuses a state of another boot, and a directory that no drill of ours made.
  DrillState read(const std::string& record) const;
  /// Nobody finds a state from then on, also after a power cut.
  void remove();

 private:
  std::string path_;
  Files& files_;
  int lock_ = -1;  // the open file of that name
};

/// The directory of the unfinished drill with this recording, as its state says; empty where there is no state. Takes no lock.
std::string drill_directory_of(const std::string& record);

/// Where drills make their directories: $TMPDIR, or the system's place for temporary files.
std::string drill_base();
/// Whether a drill of this user made that directory: what a state file names is removed in the end, and operators trust who listens there.
bool is_drill_directory(const std::string& path);
/// Why no drill can make one there.
std::optional<Problem> problem_of_drill_base();

/// A new directory there, ours alone, whose name begins so. Throws std::runtime_error.
std::string new_private_directory(const std::string& prefix);

/// The same, for a drill.
std::string new_drill_directory();

/// The log of the drill that has this directory: a line of JSON for each event.
std::string drill_log(const std::string& directory);

/// What operators of that drill asked for: a line of text for each request.
std::string operators_file(const std::string& directory);

/// Faults of that drill that were not injected, and why: a line of text for each.
std::string missed_faults_file(const std::string& directory);

/// Makes sure of it and of its checkpoints: a disk that is full or read-only is met before any process is. Where ranks run
/// as another user, the checkpoints are that user's. Refuses those of an earlier driver's ranks that ran as somebody else.
void prepare_drill_directory(const std::string& path, Files& files = system_files(),
                             const std::optional<RankUser>& user = std::nullopt);

/// Writes to the directory which driver has the drill. The agents that know their last driver may all have ended.
void write_epoch(const std::string& directory, std::uint64_t epoch, Files& files = system_files());

/// What was written last; nothing where the directory is gone.
std::optional<std::uint64_t> newest_epoch(const std::string& directory);

/// Why a driver of this epoch does not have the drill: a later driver has it, or the directory is gone. Empty where it has the drill.
std::string problem_of_owner(const std::string& directory, std::uint64_t epoch);

/// Removes it with all that is in it, if a drill of ours made it.
void remove_drill_directory(const std::string& path);

}  // namespace gauntlet
