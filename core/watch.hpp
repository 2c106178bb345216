// Watches: a policy sees a signal only through a watch that it ordered. The filter behind a watch runs where the raw
// samples are (core/filter.hpp); what passes it arrives as `Seen`. A watch stands until it is taken back. Filters
// over what ranks report start afresh whenever the job's training does, so that what is still the case is reported again.
#pragma once

#include "core/id.hpp"
#include "core/signal.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <limits>
#include <variant>

namespace gauntlet {

inline constexpr std::uint16_t kEachMember = std::numeric_limits<std::uint16_t>::max();

/// A kind of component and a subset of it: all in service, those that a job holds, those that hold one of its pipeline
/// stages (a host counts to the stage of its first rank), or one.
struct Scope {
  enum class Subset : std::uint8_t { all, job, one, stage };
  ComponentKind kind = ComponentKind::host;
  Subset subset = Subset::all;
  std::uint32_t index = 0;           // which job, or which one
  std::uint32_t stage = 0;           // which pipeline stage of the job
  std::uint16_t most = kEachMember;  // stage: so many of them at most, spread evenly over its slots

  static constexpr Scope all(ComponentKind kind) { return {.kind = kind}; }
  static constexpr Scope hosts_of(JobId job) { return {.subset = Subset::job, .index = job.value}; }
  static constexpr Scope one(ComponentId who) {
    return {.kind = who.kind, .subset = Subset::one, .index = who.index};
  }
  static constexpr Scope hosts_of_stage(JobId job, std::uint32_t stage, std::uint16_t most = kEachMember) {
    return {.subset = Subset::stage, .index = job.value, .stage = stage, .most = most};
  }
  friend bool operator==(const Scope&, const Scope&) = default;
};

/// Reports once when samples stay away for longer, and when they return.
struct Silence {
  Duration longest;
};
/// Reports when a value leaves the band [low, high] and when it returns. Of exits, it reports each with a
/// code outside the band.
struct Outside {
  double low, high;
};
/// Reports every sample of that pattern. Process exits have pattern 0.
struct Match {
  PatternId pattern;
};
/// Reports the next `count` raw values, once.
struct Sample {
  std::uint16_t count;
};

struct Watch {
  WatchId id;
  Signal signal = Signal::heartbeat;
  Scope who;
  std::variant<Silence, Outside, Match, Sample> until;
  // After this many members have reported one event, the rest of them arrive as one `Seen` with a count.
  std::uint16_t first = kEachMember;
};

enum class Edge : std::uint8_t { began, ended, sample };

struct Seen {
  WatchId watch;
  ComponentId who;  // of the first member, where `more` counts others
  Edge edge = Edge::sample;
  Time sensed;  // when the filter passed it, on the host where it ran
  double value = 0;
  std::uint32_t more = 0;  // further members that reported the same and are not listed
};

}  // namespace gauntlet
