// Recordings: a refusal has a reason; what is read of one, written again, is the file up to its last whole frame.
#include "core/record/recording.hpp"

#include "core/record/fingerprint.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace gauntlet;

namespace {

constexpr std::size_t kMagic = 18, kHead = 9;  // of a frame: kind, length, checksum

/// Corrects the checksum of each frame, and the length of one that leads beyond the end.
std::string mend(std::string_view bytes) {
  std::string out(bytes);
  const auto number = [&](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
  };
  for (std::size_t at = kMagic; at + kHead <= out.size();) {
    std::size_t length = 0;
    for (std::size_t i = 4; i > 0; --i) length = length << 8 | static_cast<std::uint8_t>(out[at + i]);
    if (length > out.size() - at - kHead) number(at + 1, length = out.size() - at - kHead);
    Fingerprint sum;
    sum.add(std::uint64_t{static_cast<std::uint8_t>(out[at])});
    for (std::size_t i = 0; i < length; ++i)
      sum.add(std::uint64_t{static_cast<std::uint8_t>(out[at + kHead + i])});
    number(at + 5, sum.value());
    at += kHead + length;
  }
  return out;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return mutate_and_mend(data, size, most, seed, mend);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.put(text_of(data, size));
  const ReadRecording read = read_recording(file.path());
  if (!read.recording) {
    ensure(read.problem.file == file.path() && !read.problem.why.empty(), "a problem names file and reason");
    return 0;
  }
  std::string written;
  RecordingWriter writer([&](std::string_view frame) { written += frame; });
  writer.write(read.recording->header);
  std::size_t order = 0;
  const Record& record = read.recording->record;
  for (std::size_t seen = 0; seen < record.observations.size(); ++seen) {
    writer.write(record.observations[seen]);
    for (; order < record.orders.size() && record.orders[order].observations == seen + 1; ++order)
      writer.write(record.orders[order].order);
  }
  ensure(order == record.orders.size(), "each order answers an observation");
  if (read.recording->measurements) writer.write(*read.recording->measurements);
  if (read.recording->logs) writer.write(*read.recording->logs);
  ensure(written == text_of(data, read.recording->whole_bytes), "what is read is what would be written");
  ensure((read.recording->tail == Recording::Tail::nothing) == (written.size() == size), "a rest is named");
  static_cast<void>(problem_of_end(file.path(), *read.recording));
  return 0;
}
