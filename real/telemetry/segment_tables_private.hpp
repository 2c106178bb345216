// The tables of segments, for those who write and those who read them.
#pragma once

#include "core/sqlite/sqlite.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

inline constexpr std::int64_t kSegmentFormat = 1;

/// The key of a segment is in the order in which ranks are compared.
inline constexpr const char* kSegmentTables =
    "CREATE TABLE drill (format INTEGER, scenario TEXT, seed INTEGER);"
    "CREATE TABLE seat (run INTEGER, rank INTEGER, host INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, tp "
    "INTEGER,"
    " PRIMARY KEY (run, rank)) WITHOUT ROWID;"
    "CREATE TABLE segment (run INTEGER, step INTEGER, name TEXT, rank INTEGER, took_ns INTEGER,"
    " reported_ns INTEGER, PRIMARY KEY (run, step, name, rank)) WITHOUT ROWID;";

/// No segment lasts 115 days, and no drill three years: sums of such times fit into nanoseconds.
inline constexpr std::int64_t kMostTook = 10'000'000'000'000'000, kMostReported = 100'000'000'000'000'000;

/// The first row that no rank can have reported; empty where there is none. SQLite keeps any type in any column.
inline std::string problem_of_rows(sqlite3* database) {
  sqlite::Statement wrong(
      database,
      "SELECT rank, step FROM segment WHERE typeof(rank) <> 'integer' OR rank NOT BETWEEN 0 AND 4294967295"
      " OR typeof(step) <> 'integer' OR typeof(name) <> 'text'"
      " OR typeof(took_ns) <> 'integer' OR took_ns NOT BETWEEN 0 AND ?"
      " OR typeof(reported_ns) <> 'integer' OR reported_ns NOT BETWEEN 0 AND ? LIMIT 1");
  wrong.bind(1, kMostTook);
  wrong.bind(2, kMostReported);
  if (!wrong.step()) return "";
  return "holds an impossible time or name: of rank " + wrong.text(0) + " in step " + wrong.text(1);
}

/// Why the database is not one that can be read; empty where it can be.
inline std::string problem_of_tables(sqlite3* database) {
  sqlite::Statement named(
      database,
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('drill', 'seat', 'segment')");
  if (!named.step() || named.integer(0) != 3) return "holds no segments";
  sqlite::Statement format(database, "SELECT format FROM drill");
  if (!format.step()) return "holds no segments";
  return format.integer(0) == kSegmentFormat ? "" : "was written by another version of Gauntlet";
}

}  // namespace gauntlet
