// What a rank tells its agent: lines that are read, said again, are the same lines; and any bytes as its recorder, its hello, or the dump of
// PyTorch's flight recorder.
#include "real/rank/lines.hpp"
#include "real/runner/flight_recorder.hpp"
#include "real/runner/marks.hpp"
#include "real/runner/rank_channels.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

using namespace gauntlet;

namespace {

void lines_read_back(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = parse_rank_line(text.substr(0, end))) {
      const std::string said = to_line(*line);
      const auto again = parse_rank_line(said);
      ensure(again && to_line(*again) == said, "what is said reads back as the same line");
      ensure(line->at_ns >= 0 && line->step >= 0 && line->took_ns >= 0, "no count is negative");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void marks_are_in_order(std::string_view bytes) {
  const std::vector<RankMark> marks = parse_marks(bytes);
  for (std::size_t i = 1; i < marks.size(); ++i)
    ensure(marks[i - 1].number < marks[i].number, "marks are in the order of their numbers");
  for (const char letter : place_of_rank(marks, 0))
    ensure(letter >= ' ' && letter <= '~', "a terminal can print it");
}

void a_dump_names_a_collective(std::string_view bytes) {
  const FlightRecord record = parse_flight_record(bytes, 0);
  ensure(record.why.empty() || !record.last, "what cannot be read names no collective");
  if (!record.last) return;
  ensure(names_collective({*record.last}), "its mark is of a collective");
  for (const char letter : place_of_rank({*record.last}, 0))
    ensure(letter >= ' ' && letter <= '~', "a terminal can print it");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  lines_read_back(bytes);
  marks_are_in_order(bytes);
  a_dump_names_a_collective(bytes);
  const std::int64_t rank = rank_of_hello(bytes);
  ensure(rank >= -1 && rank <= 0xffffffff, "a rank is a number of 32 bits");
  return 0;
}
