// A trace file for https://ui.perfetto.dev: tracks with slices, instants, counters and arrows between slices.
//
// The Chrome trace event format (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), with
// times in microseconds. Perfetto reads it, and so do people and scripts.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// A value that a viewer shows for an event.
using TraceValue = std::variant<bool, std::int64_t, double, std::string>;
using TraceArguments = std::vector<std::pair<std::string, TraceValue>>;

/// A row of a process. No two rows of a file have one number, and none has that of a process: Perfetto finds a thread by its number
/// alone, and takes one with the number of its process for the main thread.
struct TraceTrack {
  std::uint32_t process = 0, number = 0;
};

/// An arrow that has a begin and needs an end.
struct TraceArrow {
  std::uint64_t id = 0;
};

/// What is known of an event beside its place in time.
struct TraceLabel {
  std::string name;
  std::string category;
  TraceArguments arguments = {};
  std::string_view colour = {};  // a name of the format's own palette; empty: the viewer chooses
};

/// The first track has the next number.
inline constexpr std::uint32_t kMostProcesses = 1000;

/// Collects the events of one file. Times are since the start of the trace, not negative. Slices of a track must not overlap
/// in part: either one ends before the other begins, or it lies within it and was added after it. One without a length and one with a
/// length that begins at the same time are not both in a track where arrows meet the longer one: Perfetto reads the longer one first, and
/// arrows then meet the other.
class TraceEvents {
 public:
  /// `what`: the program part that writes it, as problem_of_output() looks for it (trace_begins()).
  TraceEvents(std::string_view what, const TraceArguments& about);

  /// A group of tracks, shown in the order of the numbers, from 1 to kMostProcesses.
  void name_process(std::uint32_t process, const std::string& name);
  /// The next row of that group.
  TraceTrack add_track(std::uint32_t process, const std::string& name);

  void add_slice(TraceTrack track, Duration begin, Duration end, const TraceLabel& label);
  void add_instant(TraceTrack track, Duration at, const TraceLabel& label);
  /// A number that holds until the next one of that name. It must be finite. Perfetto shows "hosts in repair" of the name "hosts" and
  /// the member "in repair".
  void add_count(std::uint32_t process, const std::string& name, const std::string& member, Duration at,
                 double value);

  /// An arrow from the slice that was added last; `at` lies in it.
  void begin_arrow(TraceArrow arrow, TraceTrack track, Duration at, std::string_view name);
  /// To the slice that was added last. Not before its begin.
  void end_arrow(TraceArrow arrow, TraceTrack track, Duration at, std::string_view name);
  TraceArrow new_arrow() { return {++arrows_}; }

  std::uint64_t events() const { return events_.size(); }
  std::uint64_t tracks() const { return tracks_; }
  std::uint64_t arrows() const { return arrows_; }
  /// The file: names first, then the events in order of time, those of one time as they were added.
  std::string text() const;

 private:
  struct Event {
    Duration at;
    std::string json;
  };
  void name(std::string_view what, TraceTrack track, std::string_view member, const std::string& value);
  void arrow(char kind, TraceArrow arrow, TraceTrack track, Duration at, std::string_view name);

  std::string head_;
  std::vector<std::string> names_;
  std::vector<Event> events_;
  std::uint32_t tracks_ = 0;
  std::uint64_t arrows_ = 0;
};

/// What every trace of that program part begins with.
std::string trace_begins(std::string_view what);

}  // namespace gauntlet
