#include "real/runner/rank_marks.hpp"

#include "real/runner/flight_recorder.hpp"

#include <optional>
#include <utility>

namespace gauntlet {

RankMarks read_rank_marks(const RankMarkFiles& files) {
  RankMarks read = {.marks = read_marks(files.own)};
  if (names_collective(read.marks)) return read;
  std::optional<RankMark> last = first_unfinished(read_marks(files.nccl));
  if (!last || last->what == RankMark::What::left) {
    FlightRecord dumped = read_flight_record(files.flight_recorder);
    if (dumped.last) last = std::move(dumped.last);
    read.why = std::move(dumped.why);
  }
  if (last) read.marks.push_back(std::move(*last));
  return read;
}

}  // namespace gauntlet
