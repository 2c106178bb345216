#include "study/store/store_private.hpp"

#include <fmt/format.h>

namespace gauntlet {
namespace {

// A replica with 30 kinds of faults fits a quarter of it, see SQLite's file format.
constexpr int kPageSize = 8192;
// Beyond this a temporary store goes to a file; KiB, negative as SQLite has it.
constexpr int kCache = -16384;

std::vector<Column> with_point(std::vector<Column> columns) {
  columns.insert(columns.begin(), {"point", "INTEGER"});
  return columns;
}

}  // namespace

// The seed is text: SQLite's integers end at 2^63.
std::vector<Column> study_columns() {
  return {{"format", "INTEGER"}, {"command", "TEXT"},  {"arguments", "TEXT"},
          {"version", "TEXT"},   {"seed", "TEXT"},     {"scenario", "TEXT"},
          {"text", "TEXT"},      {"interval", "TEXT"}, {"digest", "TEXT"}};
}

std::vector<Column> point_columns() {
  return {{"point", "INTEGER PRIMARY KEY"},
          {"label", "TEXT"},
          {"settings", "TEXT"},
          {"name", "TEXT"},
          {"question", "TEXT"},
          {"gpus", "INTEGER"},
          {"gpus_held", "INTEGER"},
          {"hosts", "INTEGER"},
          {"spares", "INTEGER"},
          {"peak_flops", "REAL"},
          {"tokens_per_step", "REAL"},
          {"flops_per_step", "REAL"},
          {"gpu_hour_usd", "REAL"},
          {"window_ns", "INTEGER"},
          {"steps", "INTEGER"},
          {"give_up_after_ns", "INTEGER"},
          {"faults", "TEXT"},
          {"text", "TEXT"},
          {"idle_gpu_hour_usd", "REAL"},
          {"storage_month_usd", "REAL"},
          {"replayed", "TEXT"},
          {"currency", "TEXT"},
          {"controls", "TEXT"},
          {"computes_interval", "INTEGER"},
          {"saves_behind_training", "INTEGER"}};
}

std::vector<Column> metric_columns() {
  return {{"point", "INTEGER"}, {"replicas", "INTEGER"}, {"fingerprint", "TEXT"}, {"name", "TEXT"},
          {"n", "INTEGER"},     {"mean", "REAL"},        {"sd", "REAL"},          {"se", "REAL"},
          {"ci95_low", "REAL"}, {"ci95_high", "REAL"},   {"p1", "REAL"},          {"p5", "REAL"},
          {"p50", "REAL"},      {"p95", "REAL"},         {"p99", "REAL"},         {"worst_5_mean", "REAL"}};
}

std::vector<Column> digest_columns() {
  return {{"point", "INTEGER"}, {"part", "TEXT"}, {"replicas", "INTEGER"}, {"digest", "TEXT"}};
}

std::vector<Column> stored_replica_columns(std::span<const std::string> faults) {
  return with_point(replica_columns(faults));
}

std::vector<Column> stored_incident_columns() { return with_point(incident_columns()); }

std::string store_schema(std::span<const std::string> faults, std::string_view schema) {
  const auto table = [&](std::string_view name, const std::vector<Column>& columns, std::string_view key) {
    return sqlite::create_table(fmt::format("{}{}", schema, name), columns, key);
  };
  return table("study", study_columns(), "") + table("point", point_columns(), "") +
         table("replica", stored_replica_columns(faults), "point, replica") +
         table("incident", stored_incident_columns(), "point, replica, incident") +
         table(kMetricTable, metric_columns(), "point, name") +
         table("digest", digest_columns(), "point, part, replicas");
}

std::string store_pragmas(std::string_view schema) {
  return fmt::format("PRAGMA {0}page_size = {1}; PRAGMA {0}cache_size = {2};", schema, kPageSize, kCache);
}

}  // namespace gauntlet
