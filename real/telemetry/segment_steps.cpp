#include "real/telemetry/segment_steps.hpp"

#include "real/telemetry/segment_file_private.hpp"

#include <limits>

namespace gauntlet {
namespace {

/// The first step that is asked for.
std::int64_t first_step(sqlite3* database, const SegmentStepsQuery& query, std::int64_t last) {
  if (query.first_step) return *query.first_step;
  sqlite::Statement newest(database, "SELECT max(step) FROM segment WHERE step <= ?");
  newest.bind(1, last);
  return newest.step() ? newest.integer(0) - query.few + 1 : last;
}

}  // namespace

ReadSegmentSteps read_segment_steps(const std::string& file, const SegmentStepsQuery& query) {
  ReadSegmentSteps read;
  read.problem = with_segment_file(file, [&](sqlite3* database) -> std::string {
    SegmentSteps& steps = read.steps;
    sqlite::Statement drill(database, "SELECT scenario, seed FROM drill");
    if (drill.step()) steps.scenario = drill.text(0);
    steps.seed = static_cast<std::uint64_t>(drill.integer(1));
    sqlite::Statement seats(database, "SELECT run, rank, host, tp, cp, dp, pp FROM seat");
    while (seats.step())
      steps.seats[{seats.count(0), seats.count(1)}] = {
          .rank = seats.count(1),
          .host = seats.count(2),
          .at = {.tp = seats.count(3), .cp = seats.count(4), .dp = seats.count(5), .pp = seats.count(6)}};
    const std::int64_t last = query.last_step.value_or(std::numeric_limits<std::int64_t>::max());
    sqlite::Statement rows(
        database,
        "SELECT run, step, rank, name, took_ns, reported_ns FROM segment WHERE step BETWEEN ? AND ? "
        "ORDER BY run, step, rank, name");
    rows.bind(1, first_step(database, query, last));
    rows.bind(2, last);
    while (rows.step()) {
      if (!steps.seats.contains({rows.count(0), rows.count(2)}))
        continue;  // of a rank that no start of the job has
      if (steps.segments.size() == query.most)
        return "has more than " + std::to_string(query.most) +
               " segments of these steps; choose fewer with --first-step and --last-step";
      steps.segments.push_back({.run = rows.count(0),
                                .rank = rows.count(2),
                                .step = rows.integer(1),
                                .name = rows.text(3),
                                .took = Duration(rows.integer(4)),
                                .reported = kStart + Duration(rows.integer(5))});
    }
    return "";
  });
  return read;
}

}  // namespace gauntlet
