// results.sqlite: the same rows for people who ask with SQL.
//
//   study     one row: scenario, question, version, seed, replicas, replica (null unless one was asked for by number),
//             fingerprint, interval, gpus, gpus_held, hosts, spares, peak_flops, tokens_per_step, flops_per_step,
//             gpu_hour_usd, window_ns (0: until the work is done), steps (0: no end but the window),
//             give_up_after_ns (0: never), interrupted (1: more replicas were asked for)
//   replica   one row a replica, the columns of replicas.csv
//   metric    one row a metric: name, n, mean, sd, se, ci95_low, ci95_high, p5, p50, p95; unknown is null
//   incident  one row an incident, the columns of incidents.csv
//
// Times are whole nanoseconds in the replica and incident tables, seconds in the metrics.
#pragma once

#include "study/results/rows.hpp"
#include "study/results/summary.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

/// Writes a new database. What goes wrong shows in `problem` and stays; later calls then do nothing.
class DatabaseWriter {
 public:
  DatabaseWriter(const std::filesystem::path& file, const ScenarioFacts& facts);
  ~DatabaseWriter();
  void add_replica(const Row& row);
  void add_incident(const Row& row);
  /// Writes the study and its metrics, and closes the file.
  void finish(const Summary& summary);
  /// Why writing failed; empty while all is well.
  const std::string& problem() const;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

struct StudyRow {
  std::optional<ScenarioFacts> facts;  // without the names of the faults
  std::uint64_t replicas = 0;          // rows of the replica table
  std::string why;                     // where there are no facts
};
StudyRow read_study(const std::filesystem::path& file);

}  // namespace gauntlet
