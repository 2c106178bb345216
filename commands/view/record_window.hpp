// What a record says of a stretch of time: events, samples of signals, answers of hosts.
#pragma once

#include "commands/view/result.hpp"
#include "core/record/record.hpp"
#include "models/world/world.hpp"
#include "score/figures.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace gauntlet {

/// What led to an incident that a policy opened is a little older than it. Assumption: the windows of detectors are about as long.
inline constexpr Duration kLead = std::chrono::minutes(10);

/// The answers of hosts to the question in which collective they wait.
struct CollectiveAnswers {
  Time at;  // of the question
  std::map<HostId, Dimension> by_host;
};

/// Reads a record once. Its arguments must outlive it.
class RecordWindow {
 public:
  RecordWindow(const Record& record, const World& world);

  /// Adds the events of each incident, from shortly before it opens until it closes, and none before `first`. `incidents` are in order of time.
  /// `most`: the limit over all incidents, shared evenly.
  void add_events(std::vector<ViewIncident>& incidents, Time first, std::size_t most) const;
  /// Samples in [from, until], the latest ones where they are too many.
  std::vector<ViewSignal> signals(Time from, Time until, std::size_t most) const;
  /// The first question in [from, until] that a host answered.
  std::optional<CollectiveAnswers> answers(Time from, Time until) const;
  /// The hosts whose eviction was ordered in [from, until], each once.
  std::vector<HostId> evicted(Time from, Time until) const;
  /// The host of the first rank in [from, until] that exited on its own, not because a peer was gone.
  std::optional<HostId> exited(Time from, Time until) const;

 private:
  struct Sample {
    Signal signal;
    ViewSignal::Sample value;
  };
  void note_event(const std::optional<ViewEvent>& event);
  void note_seen(const Seen& seen, Time at, const Watch& watch);

  std::vector<ViewEvent> events_;  // in order of time
  std::vector<Sample> samples_;
  std::vector<CollectiveAnswers> answers_;
  std::vector<std::pair<Time, HostId>> evictions_;
  std::vector<std::pair<Time, HostId>> exits_;  // of ranks on their own
};

/// An incident for each stop that the policies ordered for a fault, until the job trains again. Nobody scored them: they have no cause.
std::vector<Incident> ordered_stops(const Record& record);

}  // namespace gauntlet
