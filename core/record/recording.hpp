// A record as a file: frames with checksums, so that a file cut short by a crash is still a record up to there.
#pragma once

#include "core/problem.hpp"
#include "core/record/record.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

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
  bool torn = false;              // the file ends in the middle of a frame: the run was cut short
  std::uint64_t whole_bytes = 0;  // up to the end of the last whole frame
};

/// A recording that grows as the run goes: each observation and order is handed to the system before it is acted on, so
/// that the death of this process loses nothing. Throws std::runtime_error where the file cannot be written.
class RecordingWriter {
 public:
  /// A new file; one that exists is an error.
  RecordingWriter(const std::string& path, const RecordingHeader& header);
  /// Goes on after the last whole frame of a recording that was read.
  RecordingWriter(const std::string& path, const Recording& so_far);

  void write(const Observed& seen);
  void write(const Order& order);

 private:
  void put(const std::string& bytes);

  std::string path_;
  std::ofstream file_;
};

/// Written under a temporary name and renamed. A problem says why it could not be.
std::optional<Problem> write_recording(const std::string& path, const RecordingHeader& header,
                                       const Record& record);

/// Either a recording, or the problem in the second place.
struct ReadRecording {
  std::optional<Recording> recording;
  Problem problem;
};
ReadRecording read_recording(const std::string& path);

}  // namespace gauntlet
