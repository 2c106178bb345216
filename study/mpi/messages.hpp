// What rank 0 and its helpers say to each other.
//
//   helper                      rank 0
//   Hello                  ->                 once: who it is
//                          <-   Terms         of a study; what it knew of another one is forgotten
//                          <-   PointText     before the first job of that point
//                          <-   Job           a few for each thread
//   Done or Failed         ->                 for every job
//   Alive                 <->                 rank 0 now and then; each is answered
//                          <-   End           no more will come
//   Bye                    ->
//                          <-   Leave
#pragma once

#include "score/figures.hpp"
#include "study/executor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

/// Counts all jobs of a session from 0: an answer to a job of a study that is over is recognised.
using JobNumber = std::uint64_t;

struct Hello {
  std::string build;  // of its program: the same on every rank
  std::string host;
};
struct Terms {
  StudyTerms terms;
  std::uint32_t threads = 1;
};
struct PointText {
  PointNumber point = 0;
  std::string text;  // Point::text
  double tilt = 1;   // Point::tilt
};
struct Job {
  JobNumber number = 0;
  Task task;
};
struct Done {
  JobNumber number = 0;
  std::vector<Figures> figures;
};
struct Failed {
  JobNumber number = 0;
  std::string why;
};
struct Alive {};
struct End {};
struct Bye {};
struct Leave {
  bool together = true;  // every rank is there to end MPI with
};

using Message = std::variant<Hello, Terms, PointText, Job, Done, Failed, Alive, End, Bye, Leave>;

std::string encode(const Message& message);
/// Nothing where the bytes are not a message of this program.
std::optional<Message> decode(std::string_view bytes);

}  // namespace gauntlet
