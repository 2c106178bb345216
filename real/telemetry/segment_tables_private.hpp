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
