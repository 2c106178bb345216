// A record as a file: frames with checksums, so that a file cut short by a crash is still a record up to there.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "core/record/measurement.hpp"
#include "core/record/record.hpp"
#include "core/record/run_logs.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// What is needed to run the same policies again.
struct RecordingHeader {
  std::string version;   // of the program that wrote it
  std::string scenario;  // fully resolved, itself a scenario
  std::uint64_t seed = 0;
  std::uint32_t replica = 0;
};

struct Recording {
  RecordingHeader header;
  Record record;
  std::optional<std::vector<Measurement>> measurements;  // of a drill, once it is over; a simulation has none
  std::optional<RunLogs> logs;                           // once the run is over
  /// What stands after the last whole frame.
  enum class Tail { nothing, part_of_a_frame, damage };
  Tail tail = Tail::nothing;
  std::uint64_t bytes = 0;        // of the file
  std::uint64_t whole_bytes = 0;  // up to the end of the last whole frame
};

/// Why a recording does not hold a whole run, which ends with Finished, and where the file ends; nothing where it does. Up to
/// there it is a record like any other.
std::optional<Problem> problem_of_end(const std::string& path, const Recording& recording);

/// A recording that grows as the run goes: each observation and order is handed on before it is acted on, so that the
/// death of this process loses nothing.
class RecordingWriter {
 public:
  /// `put` appends the bytes of one frame to what holds the recording, or throws.
  explicit RecordingWriter(std::function<void(std::string_view)> put) : put_(std::move(put)) {}

  /// A new recording begins with it; one that goes on after its last whole frame has it already.
  void write(const RecordingHeader& header);
  void write(const Observed& seen);
  void write(const Order& order);
  /// All of the run, once and at its end: they are there whole or not at all.
  void write(std::span<const Measurement> measurements);
  void write(const RunLogs& logs);

 private:
  std::function<void(std::string_view)> put_;
};

/// What a whole recording has behind its record.
struct RecordingEnd {
  std::optional<std::span<const Measurement>> measurements = {};  // of a drill
  const RunLogs* logs = nullptr;
};

/// Writes a whole recording as core/files/durable.hpp replaces a file: once this returns no problem, a power cut does not
/// take it; after a problem, what had the name still has it. No symbolic link is followed.
std::optional<Problem> write_recording(const std::string& path, const RecordingHeader& header,
                                       const Record& record, Files& files = system_files(),
                                       const RecordingEnd& end = {});

/// The bytes of that file.
std::string recording_bytes(const RecordingHeader& header, const Record& record,
                            const RecordingEnd& end = {});

/// Whether the regular file of that path is a recording of any version, or what a write of one that was cut short leaves, which may
/// be empty. Nothing is read from a pipe.
bool begins_as_recording(const std::string& path);

/// Either a recording, or the problem in the second place.
struct ReadRecording {
  std::optional<Recording> recording;
  Problem problem;
};
ReadRecording read_recording(const std::string& path, Files& files = system_files());

}  // namespace gauntlet
