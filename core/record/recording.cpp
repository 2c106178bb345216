#include "core/record/recording.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"
#include "core/quantity.hpp"
#include "core/record/codec.hpp"
#include "core/record/fingerprint.hpp"
#include "core/record/little_endian.hpp"
#include "core/system_advice.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace gauntlet {
namespace {

// File: magic, then frames {u8 kind, u32 length, u32 checksum of kind and payload, payload}, all little-endian.
constexpr std::string_view kMagic = "gauntlet-record-1\n";
constexpr std::string_view kMagicOfAny = kMagic.substr(0, kMagic.find('1'));  // whatever its version
constexpr std::size_t kFrameHead = 9;

constexpr const char* kWriteOne = "give a file that `gauntlet run --record` wrote";

enum class FrameKind : std::uint8_t { header = 1, observation = 2, order = 3, measurements = 4, logs = 5 };

std::uint32_t checksum(FrameKind kind, std::string_view payload) {
  Fingerprint hash;
  hash.add(static_cast<std::uint64_t>(kind));
  for (const char each : payload) hash.add(static_cast<std::uint64_t>(static_cast<std::uint8_t>(each)));
  return static_cast<std::uint32_t>(hash.value());
}

void put_frame(FrameKind kind, std::string_view payload, std::string& out) {
  out.push_back(static_cast<char>(kind));
  put_little_endian(payload.size(), 4, out);
  put_little_endian(checksum(kind, payload), 4, out);
  out += payload;
}

std::string_view view(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string encode_header(const RecordingHeader& header) {
  std::string out;
  put_little_endian(header.seed, 8, out);
  put_little_endian(header.replica, 4, out);
  put_little_endian(header.version.size(), 4, out);
  out += header.version;
  out += header.scenario;
  return out;
}

bool decode_header(std::string_view in, RecordingHeader& header) {
  if (in.size() < 16) return false;
  header.seed = take_little_endian(in, 8);
  header.replica = static_cast<std::uint32_t>(take_little_endian(in, 4));
  const std::uint64_t version_size = take_little_endian(in, 4);
  if (version_size > in.size()) return false;
  header.version = in.substr(0, version_size);
  header.scenario = in.substr(version_size);
  return true;
}

Problem file_problem(const std::string& path, std::string why, std::string suggestion) {
  return {.file = path, .why = std::move(why), .suggestion = std::move(suggestion)};
}

std::string says(int error) { return system_message(error); }

constexpr std::size_t kMeasurementBytes = 17;

std::string encode_measurements(std::span<const Measurement> measurements) {
  std::string out;
  for (const Measurement& each : measurements) {
    put_little_endian(static_cast<std::uint64_t>(each.what), 1, out);
    put_little_endian(static_cast<std::uint64_t>(each.at.time_since_epoch().count()), 8, out);
    put_little_endian(static_cast<std::uint64_t>(each.took.count()), 8, out);
  }
  return out;
}

std::optional<std::vector<Measurement>> decode_measurements(std::string_view in) {
  if (in.size() % kMeasurementBytes != 0) return std::nullopt;
  std::vector<Measurement> into;
  while (!in.empty()) {
    const std::uint64_t what = take_little_endian(in, 1);
    const auto at = static_cast<std::int64_t>(take_little_endian(in, 8));
    const auto took = static_cast<std::int64_t>(take_little_endian(in, 8));
    if (what >= kMeasured || at < 0 || took < 0) return std::nullopt;
    into.push_back(
        {.what = static_cast<Measured>(what), .at = kStart + Duration(at), .took = Duration(took)});
  }
  return into;
}

/// Behind the record of a run comes its end alone.
bool has_its_end(const Recording& recording) {
  return recording.measurements.has_value() || recording.logs.has_value();
}

/// Of the observations so far: none comes before.
Time last_time(const Record& record) {
  return record.observations.empty() ? kStart : record.observations.back().at;
}

/// What a frame behind the header says; false where it was written by nobody.
bool decode_entry(FrameKind kind, std::string_view payload, Recording& into) {
  switch (kind) {
    case FrameKind::header:  // there is one, and it is the first
      return false;
    case FrameKind::observation:
      if (has_its_end(into)) return false;
      if (const auto seen = decode_observed(payload);
          seen && payload.empty() && seen->at >= last_time(into.record)) {
        into.record.observations.push_back(*seen);
        return true;
      }
      return false;
    case FrameKind::order:
      if (has_its_end(into)) return false;
      if (const auto order = decode_order(payload);
          order && payload.empty() && !into.record.observations.empty()) {
        into.record.orders.push_back(
            {.at = into.record.observations.back().at,
             .observations = static_cast<std::uint32_t>(into.record.observations.size()),
             .order = *order});
        return true;
      }
      return false;
    case FrameKind::measurements:  // at the end of a run, once
      if (has_its_end(into)) return false;
      into.measurements = decode_measurements(payload);
      return into.measurements.has_value();
    case FrameKind::logs:  // last of all, once
      if (into.logs) return false;
      into.logs = decode_run_logs(payload);
      return into.logs && payload.empty();
  }
  return false;
}

/// An observation or an order takes some 50 bytes. A longer length is not tried where frames are looked for: each try costs a
/// checksum.
constexpr std::size_t kLongestEntry = 1024;

/// Whether a whole frame begins anywhere behind the first byte. None does in what a write that was interrupted leaves,
/// which is the beginning of one frame.
bool holds_frame(std::string_view in) {
  for (std::size_t at = 1; at + kFrameHead <= in.size(); ++at) {
    std::string_view rest = in.substr(at);
    const auto kind = static_cast<FrameKind>(take_little_endian(rest, 1));
    if (kind != FrameKind::observation && kind != FrameKind::order) continue;
    const std::uint64_t length = take_little_endian(rest, 4);
    const auto sum = static_cast<std::uint32_t>(take_little_endian(rest, 4));
    if (length <= std::min(rest.size(), kLongestEntry) && checksum(kind, rest.substr(0, length)) == sum)
      return true;
  }
  return false;
}

enum class Expected { header, entry };

/// One frame off the front of `in`; nothing, and what is there instead in `tail`, where no whole one is.
bool take_frame(std::string_view& in, Expected expected, Recording& into) {
  into.tail = Recording::Tail::part_of_a_frame;
  if (in.size() < kFrameHead) return false;
  std::string_view rest = in;
  const auto kind = static_cast<FrameKind>(take_little_endian(rest, 1));
  const std::uint64_t length = take_little_endian(rest, 4);
  const auto sum = static_cast<std::uint32_t>(take_little_endian(rest, 4));
  if (rest.size() < length) {  // a length that was changed leads beyond the end, too
    if (holds_frame(in)) into.tail = Recording::Tail::damage;
    return false;
  }
  const std::string_view payload = rest.substr(0, length);
  into.tail = Recording::Tail::damage;
  if (checksum(kind, payload) != sum) return false;
  const bool read = expected == Expected::header
                        ? kind == FrameKind::header && decode_header(payload, into.header)
                        : decode_entry(kind, payload, into);
  if (!read) return false;
  in = rest.substr(length);
  into.tail = Recording::Tail::nothing;
  return true;
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

// --- growing -----------------------------------------------------------------------------------------------------------

void RecordingWriter::write(const RecordingHeader& header) {
  std::string out(kMagic);
  put_frame(FrameKind::header, encode_header(header), out);
  put_(out);
}

void RecordingWriter::write(const Observed& seen) {
  ByteBuffer payload;
  encode(seen, payload);
  std::string out;
  put_frame(FrameKind::observation, view(payload), out);
  put_(out);
}

void RecordingWriter::write(const Order& order) {
  ByteBuffer payload;
  encode(order, payload);
  std::string out;
  put_frame(FrameKind::order, view(payload), out);
  put_(out);
}

void RecordingWriter::write(std::span<const Measurement> measurements) {
  std::string out;
  put_frame(FrameKind::measurements, encode_measurements(measurements), out);
  put_(out);
}

void RecordingWriter::write(const RunLogs& logs) {
  ByteBuffer payload;
  encode(logs, payload);
  std::string out;
  put_frame(FrameKind::logs, view(payload), out);
  put_(out);
}

// --- whole -------------------------------------------------------------------------------------------------------------

std::string recording_bytes(const RecordingHeader& header, const Record& record, const RecordingEnd& end) {
  std::string out(kMagic);
  put_frame(FrameKind::header, encode_header(header), out);
  ByteBuffer payload;
  std::size_t order = 0;
  for (std::size_t seen = 0; seen < record.observations.size(); ++seen) {
    payload.clear();
    encode(record.observations[seen], payload);
    put_frame(FrameKind::observation, view(payload), out);
    for (; order < record.orders.size() && record.orders[order].observations <= seen + 1; ++order) {
      payload.clear();
      encode(record.orders[order].order, payload);
      put_frame(FrameKind::order, view(payload), out);
    }
  }
  if (end.measurements) put_frame(FrameKind::measurements, encode_measurements(*end.measurements), out);
  if (end.logs != nullptr) {
    payload.clear();
    encode(*end.logs, payload);
    put_frame(FrameKind::logs, view(payload), out);
  }
  return out;
}

std::optional<Problem> write_recording(const std::string& path, const RecordingHeader& header,
                                       const Record& record, Files& files, const RecordingEnd& end) {
  const std::string out = recording_bytes(header, record, end);
  const auto failure = replace_file(files, {.path = path, .temporary = temporary_name(path)}, out);
  if (!failure) return std::nullopt;
  return file_problem(path, "cannot be written: " + says(failure->error),
                      failure->at == ReplaceFailure::At::writing
                          ? "check the directory, its permissions and the space on the disk"
                          : "choose another path");
}

ReadRecording read_recording(const std::string& path, Files& files) {
  std::error_code unknown;
  if (std::filesystem::is_character_file(path, unknown) || std::filesystem::is_block_file(path, unknown))
    return {std::nullopt, file_problem(path, "is a device, and may have no end", kWriteOne)};
  const ReadBytes read = read_bytes(files, path);
  if (read.error != 0)
    return {std::nullopt, file_problem(path, "cannot be read: " + says(read.error), kWriteOne)};
  const std::string& bytes = read.bytes;
  const auto refused = [&](std::string why, std::string suggestion = "record the run again") {
    return ReadRecording{std::nullopt, file_problem(path, std::move(why), std::move(suggestion))};
  };
  std::string_view in = bytes;
  if (bytes.empty()) return refused("is empty, not a recording");
  if (kMagic.starts_with(in))
    return refused("is truncated: it ends at byte " + std::to_string(bytes.size()) + ", before its scenario");
  if (!in.starts_with(kMagic)) return refused("is not a recording", kWriteOne);
  in.remove_prefix(kMagic.size());
  Recording recording;
  if (!take_frame(in, Expected::header, recording))
    return refused(recording.tail == Recording::Tail::damage
                       ? "is damaged: its scenario cannot be read"
                       : "is truncated: it ends at byte " + std::to_string(bytes.size()) +
                             ", within its scenario");
  if (recording.header.scenario.empty()) return refused("is a recording without its scenario");
  while (!in.empty() && take_frame(in, Expected::entry, recording)) {
  }
  recording.bytes = bytes.size();
  recording.whole_bytes = bytes.size() - in.size();
  return {std::move(recording), {}};
}

std::optional<Problem> problem_of_end(const std::string& path, const Recording& recording) {
  const Record& record = recording.record;
  const bool finished =
      !record.observations.empty() && std::holds_alternative<Finished>(record.observations.back().what);
  if (recording.tail == Recording::Tail::nothing && finished) return std::nullopt;
  std::string why = "is truncated: it ends at byte " + std::to_string(recording.bytes);
  if (recording.tail == Recording::Tail::damage)
    why = "is damaged at byte " + std::to_string(recording.whole_bytes);
  else if (recording.tail == Recording::Tail::part_of_a_frame)
    why += ", in the middle of an entry";
  else
    why += ", before the end of its run";
  why += ", after " + counted(record.observations.size(), "observation") + " and " +
         counted(record.orders.size(), "order");
  if (!record.observations.empty()) why += ", the last at " + to_text(record.observations.back().at - kStart);
  return file_problem(path, std::move(why),
                      "record the run again; the command of an unfinished drill continues it");
}

bool begins_as_recording(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(kMagicOfAny.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return kMagicOfAny.starts_with(std::string_view(start).substr(0, static_cast<std::size_t>(in.gcount())));
}

}  // namespace gauntlet
